import type { Verb } from './verb.ts';
import { VERB_SUBJECTS } from './verb-subjects.ts';
import type { VerbSubject } from './verb-subjects.ts';

type Verbs = Readonly<Record<string, Verb>>;

// The declarations and programs of other subjects take time.
const LOADERS = {
  access: async () => (await import('./access-verbs.ts')).ACCESS_VERBS,
  machine: async () => (await import('./machine-verbs.ts')).MACHINE_VERBS,
  plant: async () => (await import('./plant-verbs.ts')).PLANT_VERBS,
} satisfies Readonly<Record<VerbSubject, () => Promise<Verbs>>>;

/** Returns the verb of a name with little more than what it needs; undefined when there is none. */
export async function findVerb(name: string): Promise<Verb | undefined> {
  const subject = Object.hasOwn(VERB_SUBJECTS, name) ? VERB_SUBJECTS[name] : undefined;
  if (subject === undefined) return (await loadVerbs()).find((verb) => verb.name === name);
  const verbs: Verbs = await LOADERS[subject]();
  return verbs[name];
}

/** Returns all verbs, for what tells of all of them. */
export async function loadVerbs(): Promise<readonly Verb[]> {
  return (await import('./verbs.ts')).VERBS;
}
