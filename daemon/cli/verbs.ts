import { asset } from './asset.ts';
import { audit } from './audit.ts';
import { backup } from './backup/backup.ts';
import { bundle } from './bundle.ts';
import { certificate } from './certificate/certificate.ts';
import { createCompletion } from './completion.ts';
import { channel } from './channel.ts';
import { configuration } from './configuration.ts';
import { demo } from './demo/demo.ts';
import { discover } from './discover/discover.ts';
import { doctor } from './doctor.ts';
import { driver } from './driver.ts';
import { events } from './events.ts';
import { identity } from './identity.ts';
import { importVerb } from './import/import.ts';
import { log } from './log.ts';
import { packageVerb } from './package.ts';
import { restore } from './backup/restore.ts';
import { session } from './session.ts';
import { setup } from './setup/setup.ts';
import { simulate } from './demo/simulate.ts';
import { status } from './status.ts';
import { template } from './template.ts';
import { token } from './token.ts';
import type { Verb } from './verb.ts';

/** The verbs of `penstock`, in the order of its help. */
export const VERBS: readonly Verb[] = [
  setup,
  status,
  driver,
  asset,
  channel,
  discover,
  identity,
  session,
  token,
  configuration,
  importVerb,
  template,
  packageVerb,
  bundle,
  certificate,
  events,
  log,
  audit,
  doctor,
  backup,
  restore,
  simulate,
  demo,
  createCompletion(() => VERBS),
];
