import { status } from './status.ts';
import { driver } from './driver/driver.ts';
import { asset } from './asset/asset.ts';
import { channel } from './asset/channel.ts';
import { recorder } from './recorder/recorder.ts';
import { history } from './history/history.ts';
import { discover } from './discover/discover.ts';
import { template } from './template.ts';
import { events } from './asset/events.ts';
import { log } from './audit/log.ts';
import { configuration } from './configuration/configuration.ts';
import { doctor } from './doctor.ts';
import { support } from './support.ts';
import type { CommandGroup } from './command-group.ts';

/** Command groups for devices and their configuration, by name. */
export const PLANT_COMMANDS: Readonly<Record<string, CommandGroup>> = {
  status,
  driver,
  asset,
  channel,
  recorder,
  history,
  discover,
  template,
  events,
  log,
  config: configuration,
  doctor,
  support,
};
