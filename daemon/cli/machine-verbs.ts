import { setup } from './setup/setup.ts';
import { importVerb } from './import/import.ts';
import { packageVerb } from './package/package.ts';
import { bundle } from './package/bundle.ts';
import { backup } from './backup/backup.ts';
import { restore } from './backup/restore.ts';
import { simulate } from './demo/simulate.ts';
import { demo } from './demo/demo.ts';
import type { Verb } from './verb.ts';

/** The verbs about the gateway as a machine and its software, by name. */
export const MACHINE_VERBS: Readonly<Record<string, Verb>> = {
  setup,
  import: importVerb,
  package: packageVerb,
  bundle,
  backup,
  restore,
  simulate,
  demo,
};
