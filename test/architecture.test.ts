import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/**
 * The modules that each module may import besides itself. A module is a folder, or one of the files that tie everything together. A folder
 * in a module belongs to the module.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'daemon/base': [],
  'daemon/channel': ['daemon/base'],
  'daemon/settings': ['daemon/base'],
  // What a client can ask: declarations alone, for the server and its clients.
  'daemon/interface': ['daemon/channel', 'daemon/base'],
  'daemon/security/certificate': ['daemon/base'],
  'daemon/security/audit': ['daemon/interface', 'daemon/base'],
  'daemon/security/idempotency': ['daemon/base'],
  'daemon/machine/service': ['daemon/base'],
  'daemon/machine/metrics': ['daemon/base'],
  'daemon/machine/system': [],
  'daemon/software/bundle': ['daemon/interface', 'daemon/base'],
  'daemon/software/package': ['daemon/software/bundle', 'daemon/base'],
  'daemon/plant/asset': ['daemon/interface', 'daemon/channel', 'daemon/base'],
  'daemon/security/identity': ['daemon/interface', 'daemon/settings', 'daemon/base'],
  'daemon/plant/journal': ['daemon/channel', 'daemon/base'],
  'daemon/plant/recorder': ['daemon/plant/journal', 'daemon/plant/asset', 'daemon/channel', 'daemon/base'],
  'daemon/plant/history': ['daemon/plant/journal', 'daemon/channel', 'daemon/base'],
  'daemon/simulator': ['drivers/modbus', 'daemon/base'],
  'daemon/server/event': [
    'daemon/interface',
    'daemon/software/bundle',
    'daemon/plant/asset',
    'daemon/channel',
    'daemon/base',
  ],
  'daemon/security/session': ['daemon/security/identity', 'daemon/settings', 'daemon/base'],
  'daemon/security/token': [
    'daemon/security/identity',
    'daemon/security/certificate',
    'daemon/settings',
    'daemon/base',
  ],
  'daemon/software/deployment': [
    'daemon/interface',
    'daemon/software/package',
    'daemon/software/bundle',
    'daemon/base',
  ],
  'daemon/plant/access': ['daemon/plant/asset', 'daemon/channel', 'daemon/security/identity', 'daemon/base'],
  'daemon/software/bridge': [
    'daemon/plant/access',
    'daemon/plant/journal',
    'daemon/security/idempotency',
    'daemon/software/bundle',
    'daemon/plant/asset',
    'daemon/security/identity',
    'daemon/interface',
    'daemon/channel',
    'daemon/base',
  ],
  'daemon/configuration': [
    'daemon/security/audit',
    'daemon/plant/asset',
    'daemon/channel',
    'daemon/security/identity',
    'daemon/interface',
    'daemon/settings',
    'daemon/base',
  ],
  'daemon/plant/discovery': ['daemon/plant/asset', 'daemon/interface', 'daemon/channel', 'daemon/base'],
  'daemon/plant/template': ['daemon/interface', 'daemon/channel', 'daemon/settings', 'daemon/base'],
  'daemon/server/http': [
    'daemon/security/certificate',
    'daemon/security/session',
    'daemon/security/token',
    'daemon/security/identity',
    'daemon/security/idempotency',
    'daemon/security/audit',
    'daemon/interface',
    'daemon/settings',
    'daemon/base',
  ],
  'daemon/server/rest': [
    'daemon/machine/system',
    'daemon/plant/access',
    'daemon/plant/history',
    'daemon/server/http',
    'daemon/security/certificate',
    'daemon/security/session',
    'daemon/security/token',
    'daemon/configuration',
    'daemon/plant/discovery',
    'daemon/plant/template',
    'daemon/software/deployment',
    'daemon/software/package',
    'daemon/software/bundle',
    'daemon/server/event',
    'daemon/plant/asset',
    'daemon/security/identity',
    'daemon/security/audit',
    'daemon/interface',
    'daemon/channel',
    'daemon/settings',
    'daemon/base',
  ],
  'daemon/cli': [
    'daemon/interface',
    'daemon/security/audit',
    'daemon/simulator',
    'daemon/software/package',
    'daemon/security/certificate',
    'daemon/plant/template',
    'daemon/settings',
    'daemon/channel',
    'daemon/base',
    'drivers/index.ts',
  ],
  // Runs in browsers and knows the interface alone, of which it imports types alone.
  'daemon/console': ['daemon/interface'],
  'drivers/link': ['daemon/channel', 'daemon/base'],
  'drivers/binary': ['daemon/channel', 'daemon/base'],
  'drivers/modbus': ['drivers/link', 'drivers/binary', 'daemon/channel', 'daemon/base'],
  'drivers/opcua': ['daemon/channel', 'daemon/base'],
  'drivers/serial': ['drivers/link', 'drivers/binary', 'daemon/channel', 'daemon/base'],
  'drivers/index.ts': ['drivers/link', 'drivers/modbus', 'drivers/opcua', 'drivers/serial', 'daemon/channel'],
};

/** These see everything; nothing imports them, except `main.ts` the composing module. */
const TOP: Readonly<Record<string, readonly string[]>> = {
  'daemon/compose': ['*'],
  'daemon/main.ts': ['*'],
};

/** The folders or files that may import each third-party package; those for signed and encrypted data have several. */
const PACKAGE_PLACES: Readonly<Record<string, string | readonly string[]>> = {
  '@peculiar/x509': 'daemon/security/certificate/',
  '@codemirror/autocomplete': 'daemon/console/forms/editor/',
  '@codemirror/commands': 'daemon/console/forms/editor/',
  '@codemirror/language': 'daemon/console/forms/editor/',
  '@codemirror/state': 'daemon/console/forms/editor/',
  '@codemirror/view': 'daemon/console/forms/editor/',
  '@preact/signals': 'daemon/console/',
  '@zxcvbn-ts/language-common': 'daemon/security/identity/password/password-rules.ts',
  'reflect-metadata': 'daemon/security/certificate/',
  'age-encryption': 'daemon/cli/backup/age-file.ts',
  'adm-zip': 'daemon/software/package/archive/archive-reader.ts',
  asn1js: ['daemon/security/certificate/', 'daemon/software/package/'],
  express: 'daemon/server/http/dispatcher.ts',
  'fast-xml-parser': 'daemon/base/text/xml-document.ts',
  helmet: 'daemon/server/http/security-headers.ts',
  jose: 'daemon/security/token/',
  'modbus-serial': ['drivers/modbus/', 'daemon/simulator/modbus-server.ts'],
  multer: 'daemon/server/http/body/upload.ts',
  'node-opcua': 'daemon/simulator/plant-opcua.ts',
  'node-opcua-certificate-manager': 'drivers/opcua/',
  'node-opcua-client': 'drivers/opcua/',
  pkijs: ['daemon/security/certificate/', 'daemon/software/package/'],
  preact: 'daemon/console/',
  serialport: 'drivers/link/serial-link.ts',
  uplot: 'daemon/console/',
  uqr: 'daemon/console/parts/qr-matrix.ts',
  yaml: [
    'daemon/settings/yaml-document.ts',
    'daemon/console/forms/write-text.ts',
    'daemon/console/forms/read-text.ts',
    'daemon/console/forms/editor/coloured-parts.ts',
    'daemon/console/forms/editor/text-cursor.ts',
  ],
  'tar-stream': 'daemon/cli/backup/tar-archive.ts',
  'systemd-notify': 'daemon/machine/service/',
  zod: 'daemon/base/deferred-schema.ts',
};

/**
 * The layers, the lowest first. A quarter, a folder of modules or a module by itself, imports lower layers only: it knows
 * nothing of what stands beside it.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['daemon/base'],
  ['daemon/channel', 'daemon/settings', 'daemon/machine'],
  ['daemon/interface', 'drivers'],
  ['daemon/security', 'daemon/simulator'],
  ['daemon/plant'],
  ['daemon/software', 'daemon/configuration'],
  ['daemon/server'],
  ['daemon/cli', 'daemon/console'],
  ['daemon/compose'],
  ['daemon/main.ts'],
];

const root = path.resolve(import.meta.dirname, '..');
const sources = ['daemon', 'drivers'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => path.posix.join(folder, file)),
);

function importsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/(?:\bfrom\s+|(?<!')\bimport\s*\(?\s*)'([^']+)'/g)].map((match) => match[1] ?? '');
}

const MODULES = [...Object.keys(ALLOWED), ...Object.keys(TOP)];

/** Returns the module of a file, or the file where it lies in none. */
function moduleOf(file: string): string {
  return MODULES.find((module) => file === module || file.startsWith(`${module}/`)) ?? file;
}

const localImports = sources.flatMap((file) =>
  importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ file, target: path.posix.join(path.posix.dirname(file), specifier) })),
);

test('every source file lies in a module that the order names', () => {
  const strays = sources.filter((file) => !(moduleOf(file) in ALLOWED) && !(moduleOf(file) in TOP));
  assert.deepEqual(strays, []);
});

test('every import goes from a module to a lower one', () => {
  const wrong = localImports.filter(({ file, target }) => {
    const [from, to] = [moduleOf(file), moduleOf(target)];
    const allowed = ALLOWED[from] ?? TOP[from] ?? [];
    return from !== to && !allowed.includes(to) && !allowed.includes('*');
  });
  assert.deepEqual(wrong, []);
});

const QUARTERS = FLOORS.flat();
const quarterOf = (file: string): string =>
  QUARTERS.find((quarter) => file === quarter || file.startsWith(`${quarter}/`)) ?? file;

test('every import goes from a quarter to one in a lower layer', () => {
  const layerOf = (file: string): number =>
    FLOORS.findIndex((quarters) => quarters.includes(quarterOf(file)));
  assert.deepEqual(
    sources.filter((file) => layerOf(file) === -1),
    [],
  );
  const wrong = localImports.filter(
    ({ file, target }) => quarterOf(file) !== quarterOf(target) && layerOf(target) >= layerOf(file),
  );
  assert.deepEqual(wrong, []);
});

test('docs/dev/architecture.md draws the imports between quarters, without those that follow from others', () => {
  const below = new Map<string, Set<string>>(QUARTERS.map((quarter) => [quarter, new Set()]));
  for (const { file, target } of localImports) {
    if (quarterOf(file) !== quarterOf(target)) below.get(quarterOf(file))?.add(quarterOf(target));
  }
  const reaches = (from: string, to: string): boolean =>
    [...(below.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  const shown = (quarter: string): string => quarter.replace(/^daemon\/|\.ts$/g, '');
  const arrows = [...below].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to) => `${shown(from)} --> ${shown(to)}`),
  );
  const page = readFileSync(path.join(root, 'docs/dev/architecture.md'), 'utf8');
  const [, picture = ''] = /^## Who imports whom$[^]*?```mermaid\n([^]*?)```/m.exec(page) ?? [];
  const drawn = [...picture.matchAll(/^ {2}(\w+)(?:\[[^\]]*\])? --> (\w+)$/gm)];
  assert.deepEqual(drawn.map(([, from = '', to = '']) => `${from} --> ${to}`).toSorted(), arrows.toSorted());
});

/** The folder of what bundles share. */
const SHARED_BUNDLE_FOLDER = 'bundles/mqtt/';

/** The third-party packages of bundles, and the one file that imports each. */
const BUNDLE_PACKAGES: Readonly<Record<string, string>> = {
  mqtt: 'bundles/mqtt/broker/mqtt-link.ts',
};

const BUNDLE_CONTEXT = 'daemon/software/bundle/runner/context.ts';
const bundleSources = readdirSync(path.join(root, 'bundles'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => path.posix.join('bundles', file));

test('a bundle imports its own files, those that bundles share, modules of Node.js, one library in one file, and types of the bundle context', () => {
  const wrong = bundleSources.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => {
        if (specifier.startsWith('node:')) return false;
        if (!specifier.startsWith('.')) return BUNDLE_PACKAGES[specifier] !== file;
        const target = path.posix.join(path.posix.dirname(file), specifier);
        const [, name = ''] = file.split('/');
        const isOwn = target.startsWith(`bundles/${name}/`);
        return !isOwn && !target.startsWith(SHARED_BUNDLE_FOLDER) && target !== BUNDLE_CONTEXT;
      })
      .map((specifier) => `${file}: ${specifier}`),
  );
  assert.deepEqual(wrong, []);
  const values = bundleSources.filter((file) =>
    /^import (?!type\b)[^;]*from '[^']*\/runner\/context\.ts'/m.test(
      readFileSync(path.join(root, file), 'utf8'),
    ),
  );
  assert.deepEqual(values, []);
});

test('files of a bundle stay readable in one sitting, and take their time from one place', () => {
  for (const file of bundleSources) {
    const text = readFileSync(path.join(root, file), 'utf8');
    assert.ok(text.split('\n').length <= 350, file);
    if (!/\/(?:time|main)\.ts$|\/broker\/|delivery\/sender\.ts$/.test(file)) {
      assert.doesNotMatch(readWithoutComments(file), OWN_TIME_OR_RANDOMNESS, file);
    }
  }
});

test('no folder has more than thirty files', () => {
  const counts = Map.groupBy(sources, (file) => path.posix.dirname(file));
  const crowded = [...counts].filter(([, files]) => files.length > 30).map(([folder]) => folder);
  assert.deepEqual(crowded, []);
});

test('nothing imports the console, which is built apart', () => {
  const modules = localImports.filter(({ target }) => moduleOf(target) === 'daemon/console');
  assert.deepEqual(
    modules.filter(({ file }) => moduleOf(file) !== 'daemon/console'),
    [],
  );
});

test('the console imports types alone of the interface, whose values need more than a browser has', () => {
  const values = sources
    .filter((file) => moduleOf(file) === 'daemon/console')
    .filter((file) =>
      /^import (?!type\b)[^;]*from '[^']*\/interface\//m.test(readFileSync(path.join(root, file), 'utf8')),
    );
  assert.deepEqual(values, []);
});

test('the allowed imports have no cycle', () => {
  const reachable = (module: string, seen: readonly string[]): void => {
    assert.ok(!seen.includes(module), `cycle: ${[...seen, module].join(' > ')}`);
    for (const next of ALLOWED[module] ?? []) reachable(next, [...seen, module]);
  };
  for (const module of Object.keys(ALLOWED)) reachable(module, []);
});

test('files of one module do not import each other in a cycle', () => {
  const edges = new Map<string, string[]>();
  for (const { file, target } of localImports) edges.set(file, [...(edges.get(file) ?? []), target]);
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(file), `cycle: ${[...trail, file].join(' > ')}`);
    if (done.has(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of sources) visit(file, []);
});

test('a third-party package is imported only where the table allows it', () => {
  const wrong = sources.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
      .filter((specifier) => {
        const name = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/');
        const places = [PACKAGE_PLACES[name] ?? []].flat();
        return !places.some((place) => file.startsWith(place));
      })
      .map((specifier) => `${file}: ${specifier}`),
  );
  assert.deepEqual(wrong, []);
});

test('source files stay readable in one sitting', () => {
  const long = sources.filter((file) => readFileSync(path.join(root, file), 'utf8').split('\n').length > 350);
  assert.deepEqual(long, []);
});

/** What gives time, turns of the event loop or randomness without the clock and the source that are handed in. */
const OWN_TIME_OR_RANDOMNESS =
  /\b(?:setTimeout|setInterval|setImmediate|nextTick|queueMicrotask|hrtime|randomBytes|randomUUID|randomInt|getRandomValues)\b(?!')|\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b|'node:timers/;

/** Folders of other processes, whose time is that of the machine. */
const OTHER_PROCESSES = [
  'daemon/cli/',
  'daemon/console/',
  'daemon/simulator/',
  'daemon/software/bundle/runner/',
];

/** Files that take them from the machine, and why nobody outside can tell. */
const OWN_PLACES: Readonly<Record<string, string>> = {
  'daemon/base/clock.ts': 'the clock of the machine',
  'daemon/base/random.ts': 'the randomness of the machine',
  'daemon/main.ts': 'the process itself: what the service manager is told',
  'daemon/base/file/atomic-file.ts': 'names of temporary files',
  'daemon/base/file/remove-tree.ts': 'names of temporary files',
  'daemon/base/key/secret-key.ts': 'a key, and initialization vectors',
  'daemon/software/deployment/package-trash.ts': 'names of temporary files',
  'drivers/opcua/trust/own-certificate.ts': 'a key, and names of temporary files',
  'daemon/security/certificate/certificate-builder.ts': 'serial numbers, in a process of its own',
  'daemon/security/certificate/certificate-process.ts': 'a process of its own',
  'daemon/server/http/connection/listener-server.ts': 'keys of session tickets',
  'daemon/plant/asset/read/subscribing-source.ts': 'a call before the next turn',
  'drivers/opcua/transport/opcua-transport.ts': 'a call before the next turn',
};

/** Parts that are used alone as well, and time limits of other processes. */
const SYSTEM_CLOCK_PLACES: readonly string[] = [
  'daemon/base/clock.ts',
  'daemon/main.ts',
  'daemon/compose/host-services.ts',
  'daemon/security/certificate/certificate-issuer.ts',
  'daemon/settings/yaml-reader.ts',
  'daemon/server/http/connection/listener.ts',
  'daemon/server/http/connection/listener-set.ts',
];

test('time, turns and visible randomness are taken from the clock and the source that are handed in', () => {
  const found = sources.filter(
    (file) =>
      !OTHER_PROCESSES.some((folder) => file.startsWith(folder)) &&
      OWN_TIME_OR_RANDOMNESS.test(readWithoutComments(file)),
  );
  assert.deepEqual(found.sort(), Object.keys(OWN_PLACES).sort());
});

test('the clock of the machine is named only where a part may be without another one', () => {
  const found = sources.filter(
    (file) =>
      !OTHER_PROCESSES.some((folder) => file.startsWith(folder)) &&
      /\bsystemClock\b/.test(readWithoutComments(file)),
  );
  assert.deepEqual(found.sort(), SYSTEM_CLOCK_PLACES.toSorted());
});

function readWithoutComments(file: string): string {
  const text = readFileSync(path.join(root, file), 'utf8');
  return text.replaceAll(/^\s*(?:\/\/|\*|\/\*\*).*$/gm, '');
}
