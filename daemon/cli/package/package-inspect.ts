import { systemClock } from '../../base/clock.ts';
import { PackageRefused } from '../../software/package/unpack-in-child.ts';
import type { UnpackedPackage } from '../../software/package/unpack-package.ts';
import { readTrustedCertificates } from '../../software/package/signature/signer-trust.ts';
import { inspectPackage } from '../../software/package/package-inspection.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { formatFields, formatTable, toPrintable } from '../terminal/table.ts';
import { formatPermissions } from '../identity/grant-text.ts';
import { CommandError } from '../command-error.ts';

export const INSPECT_OPTIONS = {
  'trusted-signers': {
    value: 'FILE',
    help: 'certificates of trusted signers or authorities (PEM)',
    names: 'file',
  },
} as const;

/** Content of a package for display. */
interface Inspection {
  readonly name: string;
  readonly version: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly fixPack?: string | undefined;
  readonly requiredStorageBytes?: number | undefined;
  readonly signature: UnpackedPackage['signature'];
  readonly bundles: readonly InspectedBundle[];
  readonly resources: readonly InspectedResource[];
}

interface InspectedBundle {
  readonly name: string;
  readonly version: string;
  readonly isMissing: boolean;
  /** Main module; absent: the bundle is not started. */
  readonly main?: string | undefined;
  /** Permissions beyond its own directories. */
  readonly permissions?: string | undefined;
  /** `any`: its authentication providers may authenticate any identity. */
  readonly identities?: string | undefined;
  /** Requested memory, in MiB. */
  readonly memoryMib?: number | undefined;
  /** Version of the interface for bundles that it needs; absent: 1. */
  readonly interfaceVersion?: number | undefined;
  /** True if it has settings. */
  readonly hasSettings: boolean;
}

interface InspectedResource {
  readonly path: string;
  readonly isMissing: boolean;
  readonly processor?: string | undefined;
}

/** Shows the content and the signer of a package. */
export async function inspect({ words, options, terminal, show }: LocalInvocation): Promise<void> {
  const [file = ''] = words;
  const trusted = options['trusted-signers'];
  const trustedCertificates = await readTrustedCertificates(typeof trusted === 'string' ? trusted : null);
  const request = { file, trustedCertificates, clock: systemClock, signal: terminal.stopSignal };
  const unpacked = await inspectPackage(request).catch((cause: unknown) => {
    throw cause instanceof PackageRefused ? toCommandError(file, cause) : cause;
  });
  show(describeUnpacked(unpacked), formatInspection);
}

function toCommandError(file: string, cause: PackageRefused): CommandError {
  const errors = cause.errors.map(
    ({ deploymentCode, detail }) => `\n  ${deploymentCode} ${toPrintable(detail)}`,
  );
  const detail = `${file} would be refused:${errors.join('')}`;
  return new CommandError({ code: cause.code, detail, cause });
}

function describeUnpacked({ contents, sha256, signature, bundles }: UnpackedPackage): Inspection {
  const { symbolicName, version, fixPack, requiredStorageBytes, resources } = contents;
  return {
    name: symbolicName,
    version,
    sha256,
    fixPack,
    requiredStorageBytes,
    signature,
    bundles: contents.bundles.map((declared) => {
      const unpacked = bundles.find((bundle) => bundle.symbolicName === declared.symbolicName);
      return {
        name: declared.symbolicName,
        version: declared.version,
        isMissing: declared.isMissing,
        main: unpacked?.main,
        permissions: unpacked?.permissions,
        identities: unpacked?.identities,
        memoryMib: unpacked?.memoryMib,
        interfaceVersion: unpacked?.interfaceVersion,
        hasSettings: unpacked?.settings !== undefined,
      };
    }),
    resources,
  };
}

function formatInspection(inspection: Inspection): string {
  const { name, version, sha256, fixPack, requiredStorageBytes, signature, bundles, resources } = inspection;
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ['Package', `${name} ${version}`],
    ['SHA-256', sha256],
    ['Fixes', fixPack],
    ['Required storage', requiredStorageBytes],
    ['Signature', describeSignature(signature)],
  ];
  return [
    formatFields(facts),
    ...(bundles.length === 0 ? [] : [formatBundles(bundles)]),
    ...(resources.length === 0 ? [] : [formatResources(resources)]),
  ].join('\n');
}

function describeSignature(signature: Inspection['signature']): string {
  if (signature.state === 'TRUSTED') return `trusted signer ${signature.signer}`;
  return signature.state === 'UNSIGNED' ? 'none' : `not trusted: ${signature.reason}`;
}

function formatBundles(bundles: readonly InspectedBundle[]): string {
  return formatTable<InspectedBundle>(
    [
      { title: 'BUNDLE', show: ({ name }) => name },
      { title: 'VERSION', show: ({ version }) => version },
      { title: 'STARTED', show: ({ main, isMissing }) => main ?? (isMissing ? 'not in this package' : 'no') },
      { title: 'PERMISSIONS', show: formatAsked },
      {
        title: 'MEMORY',
        show: ({ memoryMib }) => (memoryMib === undefined ? '' : `${memoryMib} MiB`),
        isOptional: true,
      },
      { title: 'INTERFACE', show: ({ interfaceVersion = '' }) => String(interfaceVersion), isOptional: true },
    ],
    bundles,
  );
}

function formatAsked({ permissions, identities }: InspectedBundle): string {
  const listed = permissions === undefined || permissions === '' ? [] : [permissions];
  return formatPermissions({ permissions: listed, identities });
}

function formatResources(resources: readonly InspectedResource[]): string {
  return formatTable<InspectedResource>(
    [
      { title: 'RESOURCE', show: ({ path }) => path },
      { title: 'PROCESSOR', show: ({ processor }) => processor ?? '' },
      { title: 'HERE', show: ({ isMissing }) => (isMissing ? 'not in this package' : 'yes') },
    ],
    resources,
  );
}
