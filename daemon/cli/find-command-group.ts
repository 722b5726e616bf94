import type { CommandGroup } from './command-group.ts';
import { COMMAND_SUBJECTS } from './command-subjects.ts';
import type { CommandSubject } from './command-subjects.ts';

type CommandGroups = Readonly<Record<string, CommandGroup>>;

// Lazy: loading the commands of all subjects takes time.
const LOADERS = {
  access: async () => (await import('./access-commands.ts')).ACCESS_COMMANDS,
  machine: async () => (await import('./machine-commands.ts')).MACHINE_COMMANDS,
  plant: async () => (await import('./plant-commands.ts')).PLANT_COMMANDS,
} satisfies Readonly<Record<CommandSubject, () => Promise<CommandGroups>>>;

/** Returns the command group of a name, loading only its subject; undefined if unknown. */
export async function findCommandGroup(name: string): Promise<CommandGroup | undefined> {
  const subject = Object.hasOwn(COMMAND_SUBJECTS, name) ? COMMAND_SUBJECTS[name] : undefined;
  if (subject === undefined) return (await loadCommandGroups()).find((group) => group.name === name);
  const groups: CommandGroups = await LOADERS[subject]();
  return groups[name];
}

/** Loads all command groups, for output that lists them. */
export async function loadCommandGroups(): Promise<readonly CommandGroup[]> {
  return (await import('./command-groups.ts')).COMMAND_GROUPS;
}
