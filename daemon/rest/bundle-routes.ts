import { toSafeText } from '../audit/safe-text.ts';
import { hidePaths } from '../base/hide-paths.ts';
import { LOG_LEVELS } from '../base/logger.ts';
import { z } from '../base/schema.ts';
import type { BundleId } from '../bundle/bundle.ts';
import { MAXIMUM_BUNDLE_LINES } from '../bundle/bundle-lines.ts';
import type { BundleLine } from '../bundle/bundle-lines.ts';
import type { BundleSupervisor } from '../bundle/bundle-supervisor.ts';
import type { StorageStatus } from '../bundle/storage-watch.ts';
import type { BundleStatus } from '../bundle/supervised-bundle.ts';
import type { DeploymentAdmin, ListedBundle } from '../deployment/deployment-admin.ts';
import { noContent, ok } from '../http/answer.ts';
import { bundleState } from './deployment-routes.ts';
import { readQuery } from '../http/query.ts';
import { integerParameter } from '../interface/query-parameter.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

const ROOT = '/services/deploy/v2/_bundles';
const PERMISSION = 'rest.deploy';

const listedProvider = z
  .strictObject({
    priority: z.int(),
    /** Names of the header fields that it sees. */
    headers: z.array(z.string()),
    /** SUSPENDED: it does not answer and is passed over. */
    state: z.enum(['ANSWERING', 'SUSPENDED']),
    /** Time in milliseconds since the epoch after which it is asked about one request. */
    nextProbeAt: z.int().optional(),
  })
  .meta({ id: 'BundleProvider' });
const listedStorage = z
  .strictObject({
    /** Bytes on the disk. */
    usedBytes: z.int(),
    maximumBytes: z.int(),
    /** Files and directories. */
    entries: z.int(),
    maximumEntries: z.int(),
    /** The bundle can write no file until it has deleted some. */
    isFull: z.boolean(),
  })
  .meta({ id: 'BundleStorage' });
const listedBundle = z
  .strictObject({
    package: z.string(),
    name: z.string(),
    version: z.string(),
    state: bundleState,
    /** What its manifest asks for, and the gateway grants. */
    permissions: z.array(z.string()),
    /** `any`: its authentication providers may name any identity, not only those with permissions for assets alone. */
    identities: z.string().optional(),
    /** Its authentication providers, while it runs. */
    providers: z.array(listedProvider).optional(),
    /** What it stores in its data directory, while it runs. */
    storage: listedStorage.optional(),
    /** Reason for the state FAILED. */
    cause: z.string().optional(),
    /** Time of the next start in milliseconds since the epoch; absent: none is planned. */
    restartAt: z.int().optional(),
  })
  .meta({ id: 'Bundle' });

const listedLine = z
  .strictObject({
    time: z.int().describe('Milliseconds since the epoch'),
    version: z.string(),
    level: z.enum(LOG_LEVELS),
    source: z
      .enum(['LOGGER', 'OUTPUT', 'GATEWAY'])
      .describe('Its logger, what its process prints, or the gateway that supervises it'),
    message: z.string().describe('One line; a character that cannot be seen is written as `\\uXXXX`'),
    fields: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'BundleLine' });
const bundleLog = z.strictObject({ lines: z.array(listedLine) }).meta({ id: 'BundleLog' });
const logQuery = z.object({
  lines: integerParameter(1, MAXIMUM_BUNDLE_LINES)
    .default(100)
    .describe('Maximum number of lines, the last ones'),
});
/** A line has at most 2000 characters, each of which may be written with six. */
const LONGEST_MESSAGE = 12_000;

/** An authentication provider of a bundle. */
interface RegisteredProvider {
  readonly bundle: BundleId;
  readonly priority: number;
  readonly headers: readonly string[];
  readonly state: 'ANSWERING' | 'SUSPENDED';
  readonly nextProbeAtMs?: number | undefined;
}

interface BundleRouteParts {
  readonly bundles: Pick<BundleSupervisor, 'list' | 'restart' | 'listLines'>;
  readonly packages: Pick<DeploymentAdmin, 'listBundles'>;
  /** Lists the authentication providers of the bundles that run. */
  readonly providers: { list(): readonly RegisteredProvider[] };
}

/** Creates the endpoints that show and restart bundles, and what they wrote. */
export function createBundleRoutes({ bundles, packages, providers }: BundleRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: ROOT,
      summary: 'Lists the installed bundles with their states',
      access: PERMISSION,
      response: { status: 200, schema: z.array(listedBundle) },
      handle() {
        const statuses = bundles.list();
        const registered = providers.list();
        return ok(packages.listBundles().map((listed) => toRecord(listed, statuses, registered)));
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/:name/_restart`,
      summary: 'Restarts a bundle, also one whose restarts were given up',
      access: PERMISSION,
      audit: 'BUNDLE_RESTARTED',
      response: { status: 204 },
      handle({ parameters: { name = '' } }) {
        bundles.restart(name);
        return noContent();
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/:name/_log`,
      summary: 'Shows what a bundle wrote last, and what became of it',
      access: PERMISSION,
      query: logQuery,
      response: { status: 200, schema: bundleLog },
      handle({ request, parameters: { name = '' } }) {
        const { lines } = readQuery(request, logQuery);
        return ok({ lines: bundles.listLines(name, lines).map(toLineRecord) });
      },
    }),
  ];
}

/** Whoever installs packages need not know where on the gateway they lie, and no text of a bundle may hide another. */
function toLineRecord({ timeMs: time, message, fields, ...others }: BundleLine): z.infer<typeof listedLine> {
  const show = (text: string): string => toSafeText(hidePaths(text), LONGEST_MESSAGE);
  const entries = Object.entries(fields ?? {}).map(
    ([name, value]) => [show(name), typeof value === 'string' ? show(value) : value] as const,
  );
  return {
    time,
    ...others,
    message: show(message),
    ...(fields === undefined ? {} : { fields: Object.fromEntries(entries) }),
  };
}

function toRecord(
  { grants, ...listed }: ListedBundle,
  statuses: readonly BundleStatus[],
  registered: readonly RegisteredProvider[],
): z.infer<typeof listedBundle> {
  const isSame = ({ name, version }: BundleId): boolean => name === listed.name && version === listed.version;
  const { cause, restartAtMs: restartAt, storage } = statuses.find(({ bundle }) => isSame(bundle.id)) ?? {};
  const providers = registered.filter(({ bundle }) => isSame(bundle)).map(toProviderRecord);
  return {
    ...listed,
    permissions: [...grants.permissions],
    identities: grants.identities,
    providers: providers.length === 0 ? undefined : providers,
    storage: storage === undefined ? undefined : toStorageRecord(storage),
    cause,
    restartAt,
  };
}

function toStorageRecord({ bytes, entries, limits, isFull }: StorageStatus): z.infer<typeof listedStorage> {
  return {
    usedBytes: bytes,
    maximumBytes: limits.bytes,
    entries,
    maximumEntries: limits.entries,
    isFull,
  };
}

function toProviderRecord({
  priority,
  headers,
  state,
  nextProbeAtMs: nextProbeAt,
}: RegisteredProvider): z.infer<typeof listedProvider> {
  return { priority, headers: [...headers], state, nextProbeAt };
}
