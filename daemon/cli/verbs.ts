import { ACCESS_VERBS } from './access-verbs.ts';
import { createCompletion } from './completion/completion.ts';
import { MACHINE_VERBS } from './machine-verbs.ts';
import { PLANT_VERBS } from './plant-verbs.ts';
import type { Verb } from './verb.ts';
import { VERB_SUBJECTS } from './verb-subjects.ts';

const ALL: Readonly<Record<string, Verb>> = { ...ACCESS_VERBS, ...MACHINE_VERBS, ...PLANT_VERBS };

/** The verbs of `penstock`, in the order of its help. */
export const VERBS: readonly Verb[] = [
  ...Object.keys(VERB_SUBJECTS).flatMap((name) => ALL[name] ?? []),
  createCompletion(() => VERBS),
];
