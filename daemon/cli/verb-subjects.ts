/** What verbs are about; a command loads those of its own subject alone. */
export type VerbSubject = 'access' | 'machine' | 'plant';

/** The subject of each verb but completion, which tells of all, in the order of the help. */
export const VERB_SUBJECTS: Readonly<Record<string, VerbSubject>> = {
  setup: 'machine',
  status: 'plant',
  driver: 'plant',
  asset: 'plant',
  channel: 'plant',
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
  backup: 'machine',
  restore: 'machine',
  simulate: 'machine',
  demo: 'machine',
};
