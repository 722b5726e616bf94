import { isShell } from './documented-commands.ts';
import type { Block } from './documented-commands.ts';

/** A block of commands that is not run beside the other commands of its page, and why. */
export interface LeftOutBlock {
  readonly page: string;
  /** How the block begins. */
  readonly begins: string;
  readonly reason: string;
}

/** Blocks that a test on its own gateway cannot run. */
export const LEFT_OUT_BLOCKS: readonly LeftOutBlock[] = [
  {
    page: 'docs/dev/release.md',
    begins: 'git clone --branch ',
    reason: 'it needs a tag and a signing key; test/packaging/release-check.test.ts tries its checks',
  },
  {
    page: 'docs/dev/release.md',
    begins: 'cd build/release-',
    reason: 'it needs the files of a release, which a test does not build',
  },
  {
    page: 'docs/reference/command-line.md',
    begins: 'penstock log --level ',
    reason: 'it needs the journal of systemd; test/daemon/cli/audit/log.test.ts runs it',
  },
  {
    page: 'docs/reference/configuration.md',
    begins: 'penstockd --config FILE\n',
    reason: 'it runs until it is stopped; every other page needs it',
  },
  {
    page: 'docs/how-to/discovery.md',
    begins: 'penstock discover modbus ',
    reason: 'it needs devices; test/system/discover.test.ts finds one',
  },
  {
    page: 'docs/tutorial/first-hour.md',
    begins: 'apt-get install ./penstock_',
    reason: 'it needs its own machine; test/machine installs the package',
  },
  {
    page: 'docs/how-to/hardening.md',
    begins: 'systemd-analyze security penstock',
    reason: 'it needs systemd and opens an editor; test/machine looks at the score',
  },
  ...[
    'systemctl status penstock-pull',
    'apt-get install git ',
    'systemctl daemon-reload\n',
    'git config gpg.format ',
  ].map((begins) => ({
    page: 'docs/how-to/git.md',
    begins,
    reason: 'it needs systemd and a repository; test/machine/penstock-pull.ts runs the script',
  })),
  {
    page: 'docs/how-to/standby.md',
    begins: 'apt-get install ./penstock_',
    reason: 'it needs its own machine; test/machine installs the package',
  },
  {
    page: 'docs/how-to/standby.md',
    begins: 'backup=$(ls -t ',
    reason: 'it needs systemd; test/machine/restore.ts types it',
  },
  {
    page: 'docs/how-to/installation.md',
    begins: 'apt-get install ./penstock_',
    reason: 'it needs its own machine; test/machine installs the package',
  },
  {
    page: 'docs/how-to/installation.md',
    begins: 'curl -fsS -o /usr/share/keyrings/',
    reason: 'it needs its own machine; test/machine types it',
  },
  {
    page: 'docs/how-to/installation.md',
    begins: 'systemctl edit penstock.socket',
    reason: 'it needs systemd and opens an editor',
  },
  {
    page: 'docs/how-to/installation.md',
    begins: "systemctl list-units 'penstock-bundle@*'",
    reason: 'it needs systemd; test/machine looks at the units of bundles',
  },
  {
    page: 'docs/how-to/back-up-and-restore.md',
    begins: 'install -d -m 0700 /etc/credstore',
    reason: 'it needs systemd; test/packaging/backup-unit.test.ts checks the unit that it enables',
  },
  {
    page: 'docs/how-to/upgrade.md',
    begins: 'apt-get install ',
    reason: 'it needs its own machine; test/machine upgrades the package',
  },
  {
    page: 'docs/how-to/sparkplug.md',
    begins: 'penstock recorder add fast ',
    reason:
      'it needs the packages that the .deb installs; test/bundles/penstock-sparkplug/end-to-end.test.ts installs one',
  },
  {
    page: 'docs/how-to/mqtt.md',
    begins: 'penstock recorder add minute ',
    reason: 'it needs the packages that the .deb installs; test/machine/bundles.ts types it',
  },
  {
    page: 'docs/reference/opcua.md',
    begins: 'cd /var/lib/penstock/drivers/opcua',
    reason: 'it needs a server with a certificate; test/drivers/opcua/gateway.test.ts trusts one',
  },
  {
    page: 'docs/how-to/mqtt.md',
    begins: 'penstock recorder add minute ',
    reason: 'it needs the packages that the .deb installs; test/machine/bundles.ts types it',
  },
  {
    page: 'docs/reference/opcua.md',
    begins: 'mv rejected/NAME.pem trusted/',
    reason: 'it needs a server with a certificate; test/drivers/opcua/gateway.test.ts trusts one',
  },
  {
    page: 'docs/how-to/mqtt.md',
    begins: 'penstock recorder add minute ',
    reason: 'it needs the packages that the .deb installs; test/machine/bundles.ts types it',
  },
  {
    page: 'docs/reference/opcua.md',
    begins: 'penstock driver trust plc',
    reason: 'it needs an OPC UA server; test/system/opcua-discovery.test.ts finds, trusts and browses one',
  },
  {
    page: 'docs/how-to/mqtt.md',
    begins: 'penstock recorder add minute ',
    reason: 'it needs the packages that the .deb installs; test/machine/bundles.ts types it',
  },
  {
    page: 'docs/reference/opcua.md',
    begins: 'penstock discover opcua opc.tcp://192.0.2.7:4840\n',
    reason: 'it needs an OPC UA server; test/system/opcua-discovery.test.ts finds, trusts and browses one',
  },
  {
    page: 'docs/how-to/mqtt.md',
    begins: 'penstock recorder add minute ',
    reason: 'it needs the packages that the .deb installs; test/machine/bundles.ts types it',
  },
  {
    page: 'docs/reference/opcua.md',
    begins: 'penstock discover opcua opc.tcp://192.0.2.7:4840 --add',
    reason: 'it needs an OPC UA server; test/system/opcua-discovery.test.ts finds, trusts and browses one',
  },
  {
    page: 'docs/how-to/mqtt.md',
    begins: 'penstock recorder add minute ',
    reason: 'it needs the packages that the .deb installs; test/machine/bundles.ts types it',
  },
  {
    page: 'docs/reference/opcua.md',
    begins: 'penstock driver browse plc',
    reason: 'it needs an OPC UA server; test/system/opcua-discovery.test.ts finds, trusts and browses one',
  },
];

/** Tells whether a block is left out. */
export function isLeftOut(block: Block): boolean {
  return LEFT_OUT_BLOCKS.some((entry) => isMeant(block, entry));
}

/** Tells whether an entry of the list is about a block. */
export function isMeant(block: Block, { page, begins }: LeftOutBlock): boolean {
  return isShell(block) && block.page === page && block.text.startsWith(begins);
}
