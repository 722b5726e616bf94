import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { CACHE, findMirrors, RELEASE } from './mirror.ts';
import { programOf } from '../support/tools.ts';

/** The files that a machine starts from. */
export interface MachineImage {
  /** The disk, in the form raw; several machines may start from it, each with its changes elsewhere. */
  readonly disk: string;
  readonly kernel: string;
  readonly initialRamDisk: string;
  /** Private key that root may log in with. */
  readonly key: string;
}

/** Tools that build an image. */
export const IMAGE_TOOLS = ['mmdebstrap', 'mke2fs', 'ssh-keygen'] as const;

/** Address of the machine in the network that it has with its host (QEMU, user mode networking). */
const ADDRESS = '10.0.2.15/24';

/** The line on the first serial line that ends a boot. */
export const BOOTED = 'machine booted';

// The kernel for virtual machines is small, and has its disk driver as a module: the ram disk loads it.
const PACKAGES = [
  'ca-certificates',
  'curl',
  'dbus',
  'libstdc++6',
  'linux-image-cloud-amd64',
  'openssh-server',
  'openssl',
  'procps',
  'systemd-sysv',
  'tiny-initramfs',
  'udev',
];
const RAM_DISK_SETTINGS = 'AUTO_MODULES=no\nINCLUDE_MODULES=virtio_pci,virtio_blk\n';
const DISK_SIZE = '4G';

// Timers would hold the lock of the package system, and no user logs in at a terminal.
const MASKED = [
  'apt-daily.timer',
  'apt-daily-upgrade.timer',
  'dpkg-db-backup.timer',
  'serial-getty@ttyS0.service',
];

const BOOTED_UNIT = `[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/echo ${BOOTED}
StandardOutput=tty
TTYPath=/dev/ttyS0
[Install]
WantedBy=graphical.target
`;

/** Builds the image, or returns the one of an earlier run; each list of packages has its own image. */
export function buildMachineImage(): MachineImage {
  const recipe = [RELEASE, ...PACKAGES, RAM_DISK_SETTINGS, BOOTED_UNIT, DISK_SIZE].join('\n');
  const folder = path.join(
    CACHE,
    `machine-${createHash('sha256').update(recipe).digest('hex').slice(0, 12)}`,
  );
  if (!existsSync(folder)) {
    const partial = `${folder}.tmp`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true, mode: 0o700 });
    makeImage(partial);
    renameSync(partial, folder);
  }
  return {
    disk: path.join(folder, 'disk'),
    kernel: path.join(folder, 'kernel'),
    initialRamDisk: path.join(folder, 'initrd'),
    key: path.join(folder, 'key'),
  };
}

function makeImage(folder: string): void {
  const tree = path.join(folder, 'tree');
  const settings = 'etc/tiny-initramfs/tiny-initramfs.conf';
  execFileSync(programOf('mmdebstrap'), [
    '--quiet',
    '--variant=minbase',
    '--dpkgopt=force-unsafe-io',
    `--include=${PACKAGES.join(',')}`,
    // Needed when the kernel is installed, which builds the initial RAM disk.
    `--essential-hook=mkdir "$1/etc/tiny-initramfs" && printf '${RAM_DISK_SETTINGS.replaceAll('\n', '\\n')}' >"$1/${settings}"`,
    RELEASE,
    tree,
    ...findMirrors(),
  ]);
  const put = (file: string, content: string): void => {
    mkdirSync(path.join(tree, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(tree, file), content);
  };
  // dpkg has to flush the files that it unpacks, as on any machine.
  rmSync(path.join(tree, 'etc/dpkg/dpkg.cfg.d/99mmdebstrap'), { force: true });
  put('etc/hostname', 'gateway\n');
  put('etc/hosts', '127.0.0.1 localhost gateway\n');
  put('etc/systemd/network/ether.network', `[Match]\nType=ether\n[Network]\nAddress=${ADDRESS}\n`);
  put('etc/systemd/system/booted.service', BOOTED_UNIT);
  execFileSync(programOf('ssh-keygen'), [
    '-q',
    '-t',
    'ed25519',
    '-N',
    '',
    '-C',
    'test',
    '-f',
    path.join(folder, 'key'),
  ]);
  mkdirSync(path.join(tree, 'root/.ssh'), { recursive: true, mode: 0o700 });
  copyFileSync(path.join(folder, 'key.pub'), path.join(tree, 'root/.ssh/authorized_keys'));
  chmodSync(path.join(tree, 'root/.ssh/authorized_keys'), 0o600);
  mkdirSync(path.join(tree, 'root/run'));
  execFileSync('chroot', [tree, 'systemd-machine-id-setup'], { stdio: 'pipe' });
  execFileSync('chroot', [
    tree,
    'systemctl',
    '--quiet',
    'enable',
    'systemd-networkd.service',
    'booted.service',
  ]);
  execFileSync('chroot', [tree, 'systemctl', '--quiet', 'mask', ...MASKED]);
  for (const [prefix, name] of [
    ['vmlinuz-', 'kernel'],
    ['initrd.img-', 'initrd'],
  ] as const) {
    const file = readdirSync(path.join(tree, 'boot')).find((entry) => entry.startsWith(prefix));
    if (file === undefined) throw new Error(`the image has no ${name}`);
    copyFileSync(path.join(tree, 'boot', file), path.join(folder, name));
  }
  execFileSync(programOf('mke2fs'), ['-q', '-t', 'ext4', '-d', tree, path.join(folder, 'disk'), DISK_SIZE]);
  rmSync(tree, { recursive: true });
}
