import { setup } from './setup/setup.ts';
import { importCommands } from './import/import.ts';
import { packageCommands } from './package/package.ts';
import { bundle } from './package/bundle.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { simulate } from './demo/simulate.ts';
import { demo } from './demo/demo.ts';
import type { CommandGroup } from './command-group.ts';

/** Command groups for the machine and the software of the gateway, by name. */
export const MACHINE_COMMANDS: Readonly<Record<string, CommandGroup>> = {
  setup,
  import: importCommands,
  package: packageCommands,
  bundle,
  backup,
  restore,
  simulate,
  demo,
};
