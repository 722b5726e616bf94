/** Subject of a command group; a call loads only the groups of its own subject. */
export type CommandSubject = 'access' | 'machine' | 'plant';

/** Subject of each command group in the order of the help; `completion`, which needs all groups, has none. */
export const COMMAND_SUBJECTS: Readonly<Record<string, CommandSubject>> = {
  setup: 'machine',
  status: 'plant',
  driver: 'plant',
  asset: 'plant',
  channel: 'plant',
  recorder: 'plant',
  history: 'plant',
  discover: 'plant',
  identity: 'access',
  session: 'access',
  token: 'access',
  config: 'plant',
  import: 'machine',
  template: 'plant',
  package: 'machine',
  bundle: 'machine',
  certificate: 'access',
  events: 'plant',
  log: 'plant',
  audit: 'access',
  doctor: 'plant',
  support: 'plant',
  backup: 'machine',
  restore: 'machine',
  simulate: 'machine',
  demo: 'machine',
};
