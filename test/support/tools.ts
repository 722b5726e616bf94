import { existsSync } from 'node:fs';
import path from 'node:path';

/** A program or file that shows whether a package is installed, and the Debian package that brings it. */
type Part = readonly [place: string, debianPackage: string];

const COMPILER: readonly Part[] = [
  ['cc', 'gcc'],
  ['/usr/include/stdio.h', 'libc6-dev'],
];

// Debian's own interpreter, also where another one is in the path: Debian's modules belong to it.
const PYTHON = '/usr/bin/python3';
const MODULES = '/usr/lib/python3/dist-packages';

/**
 * Whatever tests and measurements use that is neither Node.js nor on every Debian, and all that it takes. The first part is
 * the program that is started.
 */
const TOOLS = {
  cc: COMPILER,
  chromium: [['/usr/bin/chromium', 'chromium']],
  curl: [['curl', 'curl']],
  'dpkg-parsechangelog': [['dpkg-parsechangelog', 'dpkg-dev']],
  ip: [['ip', 'iproute2']],
  jarsigner: [['jarsigner', 'default-jdk-headless']],
  jsonschema: [
    [PYTHON, 'python3'],
    [`${MODULES}/jsonschema/__init__.py`, 'python3-jsonschema'],
  ],
  keytool: [['keytool', 'default-jdk-headless']],
  libmodbus: [...COMPILER, ['/usr/include/modbus/modbus.h', 'libmodbus-dev']],
  lintian: [['lintian', 'lintian']],
  mke2fs: [['mke2fs', 'e2fsprogs']],
  mmdebstrap: [['mmdebstrap', 'mmdebstrap']],
  openssl: [['openssl', 'openssl']],
  pymodbus: [
    [PYTHON, 'python3'],
    [`${MODULES}/pymodbus/__init__.py`, 'python3-pymodbus'],
    // It imports these, but its package only recommends them.
    [`${MODULES}/serial/__init__.py`, 'python3-serial'],
    [`${MODULES}/serial_asyncio/__init__.py`, 'python3-serial-asyncio'],
  ],
  python3: [[PYTHON, 'python3']],
  'qemu-aarch64-static': [['qemu-aarch64-static', 'qemu-user-static']],
  'qemu-img': [['qemu-img', 'qemu-utils']],
  'qemu-system-x86_64': [['qemu-system-x86_64', 'qemu-system-x86']],
  socat: [['socat', 'socat']],
  ssh: [['ssh', 'openssh-client']],
  'ssh-keygen': [['ssh-keygen', 'openssh-client']],
  strace: [['strace', 'strace']],
  'systemd-nspawn': [['systemd-nspawn', 'systemd-container']],
  'systemd-notify': [['systemd-notify', 'systemd']],
  'systemd-socket-activate': [['systemd-socket-activate', 'systemd']],
  unzip: [['unzip', 'unzip']],
} as const satisfies Readonly<Record<string, readonly Part[]>>;

/** Name of a tool that a machine may lack. */
export type Tool = keyof typeof TOOLS;

/** Lists the names of all tools. */
export function listTools(): readonly Tool[] {
  return Object.keys(TOOLS) as Tool[];
}

/** Lists the programs that start these tools. */
export function programsOf(tools: readonly Tool[]): readonly string[] {
  return tools.map((tool) => TOOLS[tool][0][0]);
}

/** Lists the Debian packages that bring these tools, sorted. */
export function listPackages(tools: readonly Tool[]): readonly string[] {
  return sortUnique(partsOf(tools).map(([, name]) => name));
}

/**
 * Says which of these tools are missing and how they are installed, in one line; undefined: all are there.
 *
 * @param searchPath folders of programs, as in the variable PATH
 */
export function describeMissing(
  tools: readonly Tool[],
  searchPath: string = process.env['PATH'] ?? '',
): string | undefined {
  const missing = tools.filter((tool) => listMissingPackages([tool], searchPath).length > 0);
  if (missing.length === 0) return undefined;
  const packages = listMissingPackages(missing, searchPath);
  return `${missing.join(', ')} missing: apt-get install ${packages.join(' ')}`;
}

/** Lists the packages that a line of `describeMissing` names; empty when the line is another one. */
export function parsePackages(line: string): readonly string[] {
  return / missing: apt-get install (.+)$/.exec(line)?.[1]?.split(' ') ?? [];
}

/**
 * Returns the program that starts a tool.
 *
 * @throws when the tool or a part of it is missing, with the packages that bring it
 */
export function programOf(tool: Tool): string {
  const missing = describeMissing([tool]);
  if (missing !== undefined) throw new Error(missing);
  return TOOLS[tool][0][0];
}

function listMissingPackages(tools: readonly Tool[], searchPath: string): readonly string[] {
  const folders = searchPath.split(':');
  return sortUnique(
    partsOf(tools)
      .filter(([place]) => !folders.some((folder) => existsSync(path.resolve(folder, place))))
      .map(([, name]) => name),
  );
}

function partsOf(tools: readonly Tool[]): readonly Part[] {
  return tools.flatMap((tool): readonly Part[] => TOOLS[tool]);
}

function sortUnique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
