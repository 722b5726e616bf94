import type { Verb } from './verb.ts';

// In a table of their own: what one verb needs is loaded without that of all others.
const LOADERS: Readonly<Record<string, () => Promise<Verb>>> = {
  setup: async () => (await import('./setup/setup.ts')).setup,
  status: async () => (await import('./status.ts')).status,
  driver: async () => (await import('./driver.ts')).driver,
  asset: async () => (await import('./asset.ts')).asset,
  channel: async () => (await import('./channel.ts')).channel,
  discover: async () => (await import('./discover/discover.ts')).discover,
  identity: async () => (await import('./identity.ts')).identity,
  session: async () => (await import('./session.ts')).session,
  token: async () => (await import('./token.ts')).token,
  config: async () => (await import('./configuration.ts')).configuration,
  import: async () => (await import('./import/import.ts')).importVerb,
  template: async () => (await import('./template.ts')).template,
  package: async () => (await import('./package.ts')).packageVerb,
  bundle: async () => (await import('./bundle.ts')).bundle,
  certificate: async () => (await import('./certificate/certificate.ts')).certificate,
  events: async () => (await import('./events.ts')).events,
  log: async () => (await import('./log.ts')).log,
  audit: async () => (await import('./audit.ts')).audit,
  doctor: async () => (await import('./doctor.ts')).doctor,
  backup: async () => (await import('./backup/backup.ts')).backup,
  restore: async () => (await import('./backup/restore.ts')).restore,
  simulate: async () => (await import('./demo/simulate.ts')).simulate,
  demo: async () => (await import('./demo/demo.ts')).demo,
};

/** The names of the verbs that are loaded one by one, in the order of the help. */
export const LOADED_VERBS: readonly string[] = Object.keys(LOADERS);

/** Returns the verb of a name with nothing but what it needs; undefined when there is none. */
export async function findVerb(name: string): Promise<Verb | undefined> {
  if (Object.hasOwn(LOADERS, name)) return LOADERS[name]?.();
  return (await loadVerbs()).find((verb) => verb.name === name);
}

/** Returns all verbs, for what tells of all of them. */
export async function loadVerbs(): Promise<readonly Verb[]> {
  return (await import('./verbs.ts')).VERBS;
}
