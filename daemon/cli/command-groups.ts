import { ACCESS_COMMANDS } from './access-commands.ts';
import { createCompletion } from './completion/completion.ts';
import { MACHINE_COMMANDS } from './machine-commands.ts';
import { PLANT_COMMANDS } from './plant-commands.ts';
import type { CommandGroup } from './command-group.ts';
import { COMMAND_SUBJECTS } from './command-subjects.ts';

const ALL: Readonly<Record<string, CommandGroup>> = {
  ...ACCESS_COMMANDS,
  ...MACHINE_COMMANDS,
  ...PLANT_COMMANDS,
};

/** All command groups of `penstock`, in the order of its help. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  ...Object.keys(COMMAND_SUBJECTS).flatMap((name) => ALL[name] ?? []),
  createCompletion(() => COMMAND_GROUPS),
];
