import {
  installPackage,
  listOperations,
  listPackages,
  readOperation,
  uninstallPackage,
} from '../../interface/software/packages.ts';
import type { InstalledPackage } from '../../interface/software/packages.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { Invocation } from '../client/client-commands.ts';
import { build, BUILD_OPTIONS } from './package-build.ts';
import { inspect, INSPECT_OPTIONS } from './package-inspect.ts';
import { createBundle, NEW_OPTIONS } from './package-new.ts';
import { finishOperation, formatOperations } from './package-operation.ts';
import { sign, SIGN_OPTIONS } from './package-sign.ts';
import { sendPackage } from './package-upload.ts';
import { findShippedPackage } from './shipped-package.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import type { RestResponse } from '../client/rest-client.ts';
import { formatTable } from '../terminal/table.ts';

const CHANGE = {
  'no-wait': { help: 'return without waiting for the operation' },
  'idempotency-key': {
    value: 'KEY',
    help: 'start no second operation if repeated with this key within 24 hours',
  },
} as const;

/** Installs, removes, builds and signs deployment packages. */
export const packageCommands = createCommandGroup('package', 'install, remove, build and sign packages', {
  list: {
    parameters: '',
    summary: 'list the installed packages',
    run: async ({ client, show }) => {
      show(await client.call(listPackages), formatPackages);
    },
  },
  status: {
    parameters: '[OPERATION]',
    summary: 'list the latest operations, newest first, or show one',
    run: async ({ client, words: [id], show }) => {
      if (id === undefined) show(await client.call(listOperations), formatOperations);
      else show(await client.call(readOperation, { id }), (operation) => formatOperations([operation]));
    },
  },
  install: {
    parameters: 'FILE|NAME|URL',
    summary:
      'install a file, a package that comes with the gateway, or a URL that it fetches (file:, http:, https:)',
    names: ['file'],
    options: CHANGE,
    examples: ['penstock package install pumps.dp', 'penstock package install penstock-mqtt'],
    run: async (invocation) => finishOperation(invocation, await requestInstallation(invocation)),
  },
  remove: {
    parameters: 'NAME',
    summary: 'remove a package with its bundles',
    names: ['package'],
    options: CHANGE,
    run: async (invocation) => {
      const { client, words } = invocation;
      const [name = ''] = words;
      const wanted = { parameters: { name }, headers: readKey(invocation) };
      await finishOperation(invocation, await client.exchange(uninstallPackage, wanted));
    },
  },
  inspect: {
    parameters: 'FILE',
    summary: 'show content and signer of a package, or why a gateway would refuse it',
    options: INSPECT_OPTIONS,
    names: ['file'],
    runHere: inspect,
  },
  build: {
    parameters: '[DIRECTORY...]',
    summary: 'build a package from bundle directories with META-INF/MANIFEST.MF',
    options: BUILD_OPTIONS,
    names: ['file'],
    examples: ['penstock package build pump --name com.example.pumps --version 1.0.0'],
    runHere: build,
  },
  new: {
    parameters: 'NAME',
    summary: 'write a new bundle that sends recorded samples to a URL, with its settings and a test',
    options: NEW_OPTIONS,
    examples: ['penstock package new com.example.sender'],
    runHere: createBundle,
  },
  sign: {
    parameters: 'FILE',
    summary: 'sign a package in the format of signed JAR files',
    options: SIGN_OPTIONS,
    names: ['file'],
    runHere: sign,
  },
});

function readKey({ options }: Invocation): Readonly<Record<string, string>> {
  const key = options['idempotency-key'];
  return typeof key === 'string' ? { 'Idempotency-Key': key } : {};
}

async function requestInstallation(invocation: Invocation): Promise<RestResponse> {
  const { client, words, terminal } = invocation;
  const [source = ''] = words;
  const headers = readKey(invocation);
  if (/^(?:file|https?):/i.test(source)) {
    return client.exchange(installPackage, { body: { url: source }, headers });
  }
  const line = new ProgressLine(terminal);
  try {
    const onSent = (part: number): void => line.show(`sending ${Math.floor(part * 100)} %`);
    const file = findShippedPackage(source) ?? source;
    return await sendPackage(client, { file, headers, onSent, signal: terminal.stopSignal });
  } finally {
    line.clear();
  }
}

function formatPackages(packages: readonly InstalledPackage[]): string {
  if (packages.length === 0) return 'No packages are installed.\n';
  return formatTable<InstalledPackage>(
    [
      { title: 'PACKAGE', show: ({ name }) => name },
      { title: 'VERSION', show: ({ version }) => version },
      { title: 'BUNDLES', show: ({ bundles }) => bundles.length },
      {
        title: 'FAILED',
        show: ({ bundles }) =>
          bundles
            .filter(({ state }) => state === 'FAILED')
            .map(({ name }) => name)
            .join(' '),
      },
    ],
    packages,
  );
}
