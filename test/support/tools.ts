import { existsSync } from 'node:fs';
import path from 'node:path';

import {
  completionOf,
  interpreterOf,
  locateEnvironment,
  MAKE_ENVIRONMENT,
  PYTHON,
} from './python-environment.ts';

/** A program or file that shows whether something is installed, and what brings it: a Debian package or MAKE_ENVIRONMENT. */
type Part = readonly [place: string, origin: string];

const COMPILER: readonly Part[] = [
  ['cc', 'gcc'],
  ['/usr/include/stdio.h', 'libc6-dev'],
];

const VENV: readonly Part[] = [
  [PYTHON, 'python3'],
  // Of what the package brings, this alone has the same name in each release.
  ['/var/lib/dpkg/info/python3-venv.list', 'python3-venv'],
];
const ENVIRONMENT = locateEnvironment();
const IN_ENVIRONMENT = [
  [interpreterOf(ENVIRONMENT), MAKE_ENVIRONMENT],
  [completionOf(ENVIRONMENT), MAKE_ENVIRONMENT],
  ...VENV,
] as const satisfies readonly Part[];
const MODULES = '/usr/lib/python3/dist-packages';

/**
 * Whatever tests and measurements use that is neither Node.js nor on every Debian, and all that it takes. The first part is
 * the program that is started.
 */
const TOOLS = {
  'apt-ftparchive': [['apt-ftparchive', 'apt-utils']],
  amtool: [['amtool', 'prometheus-alertmanager']],
  'ansible-lint': [['ansible-lint', 'ansible-lint']],
  'ansible-playbook': [['ansible-playbook', 'ansible-core']],
  'ansible-vault': [['ansible-vault', 'ansible-core']],
  asyncua: IN_ENVIRONMENT,
  cc: COMPILER,
  certutil: [['certutil', 'libnss3-tools']],
  chromium: [['/usr/bin/chromium', 'chromium']],
  cryptography: [
    [PYTHON, 'python3'],
    [`${MODULES}/cryptography/__init__.py`, 'python3-cryptography'],
  ],
  curl: [['curl', 'curl']],
  git: [['git', 'git']],
  haproxy: [['/usr/sbin/haproxy', 'haproxy']],
  'dpkg-parsechangelog': [['dpkg-parsechangelog', 'dpkg-dev']],
  firefox: [['/usr/bin/firefox-esr', 'firefox-esr']],
  fish: [['fish', 'fish']],
  gpg: [
    ['gpg', 'gpg'],
    ['gpg-agent', 'gpg-agent'],
  ],
  gpgconf: [['gpgconf', 'gpgconf']],
  ip: [['ip', 'iproute2']],
  jarsigner: [['jarsigner', 'default-jdk-headless']],
  jsonschema: [
    [PYTHON, 'python3'],
    [`${MODULES}/jsonschema/__init__.py`, 'python3-jsonschema'],
  ],
  keytool: [['keytool', 'default-jdk-headless']],
  lexgrog: [['lexgrog', 'man-db']],
  influxd: [['influxd', 'influxdb']],
  libmodbus: [...COMPILER, ['/usr/include/modbus/modbus.h', 'libmodbus-dev']],
  lintian: [['lintian', 'lintian']],
  man: [['man', 'man-db']],
  mke2fs: [['mke2fs', 'e2fsprogs']],
  mmdebstrap: [['mmdebstrap', 'mmdebstrap']],
  mosquitto: [['/usr/sbin/mosquitto', 'mosquitto']],
  nginx: [['/usr/sbin/nginx', 'nginx-light']],
  oathtool: [['oathtool', 'oathtool']],
  openssl: [['openssl', 'openssl']],
  pk12util: [['pk12util', 'libnss3-tools']],
  pymodbus: [
    [PYTHON, 'python3'],
    [`${MODULES}/pymodbus/__init__.py`, 'python3-pymodbus'],
    // It imports these, but its package only recommends them.
    [`${MODULES}/serial/__init__.py`, 'python3-serial'],
    [`${MODULES}/serial_asyncio/__init__.py`, 'python3-serial-asyncio'],
  ],
  prometheus: [['prometheus', 'prometheus']],
  promtool: [['promtool', 'prometheus']],
  'pymodbus-3.16': IN_ENVIRONMENT,
  python3: [[PYTHON, 'python3']],
  'qemu-aarch64-static': [['qemu-aarch64-static', 'qemu-user-static']],
  'qemu-img': [['qemu-img', 'qemu-utils']],
  'qemu-system-x86_64': [['qemu-system-x86_64', 'qemu-system-x86']],
  rsyslogd: [
    ['/usr/sbin/rsyslogd', 'rsyslog'],
    ['/var/lib/dpkg/info/rsyslog-gnutls.list', 'rsyslog-gnutls'],
  ],
  schemathesis: IN_ENVIRONMENT,
  socat: [['socat', 'socat']],
  ssh: [['ssh', 'openssh-client']],
  'ssh-keygen': [['ssh-keygen', 'openssh-client']],
  sslyze: IN_ENVIRONMENT,
  strace: [['strace', 'strace']],
  'systemd-nspawn': [['systemd-nspawn', 'systemd-container']],
  'systemd-notify': [['systemd-notify', 'systemd']],
  'systemd-socket-activate': [['systemd-socket-activate', 'systemd']],
  unzip: [['unzip', 'unzip']],
  venv: VENV,
  'victoria-metrics': [['victoria-metrics', 'victoria-metrics']],
  xz: [['xz', 'xz-utils']],
  'x86_64-linux-gnu-strip': [['x86_64-linux-gnu-strip', 'binutils']],
  'aarch64-linux-gnu-strip': [['aarch64-linux-gnu-strip', 'binutils-aarch64-linux-gnu']],
  zsh: [['zsh', 'zsh']],
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
  return sortUnique(
    partsOf(tools)
      .map(([, origin]) => origin)
      .filter(isPackage),
  );
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
  const missing = tools.filter((tool) => listMissingOrigins([tool], searchPath).length > 0);
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} missing: ${joinCommands(listMissingOrigins(missing, searchPath))}`;
}

/** Lists what a line of `describeMissing` says is to be installed; empty when the line is another one. */
export function parseMissing(line: string): readonly string[] {
  const [, first = '', packages, second] =
    / missing: ((?:apt-get install ([^&]+?))?(?: && )?(npm run .+)?)$/.exec(line) ?? [];
  if (first === '') return [];
  return [...(packages?.split(' ') ?? []), ...(second === undefined ? [] : [second])];
}

/** Returns the command that installs everything that one or several results of `parseMissing` list. */
export function joinCommands(origins: readonly string[]): string {
  const packages = sortUnique(origins.filter(isPackage));
  return [
    ...(packages.length > 0 ? [`apt-get install ${packages.join(' ')}`] : []),
    ...sortUnique(origins.filter((origin) => !isPackage(origin))),
  ].join(' && ');
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

function listMissingOrigins(tools: readonly Tool[], searchPath: string): readonly string[] {
  const folders = searchPath.split(':');
  return sortUnique(
    partsOf(tools)
      .filter(([place]) => !folders.some((folder) => existsSync(path.resolve(folder, place))))
      .map(([, origin]) => origin),
  );
}

function isPackage(origin: string): boolean {
  return origin !== MAKE_ENVIRONMENT;
}

function partsOf(tools: readonly Tool[]): readonly Part[] {
  return tools.flatMap((tool): readonly Part[] => TOOLS[tool]);
}

function sortUnique(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
