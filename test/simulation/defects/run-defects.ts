import type { PlantedDefect } from './planted-defect.ts';

const FILE = 'daemon/channel/write-run.ts';

/** Defects of the run of a write, which all drivers share. */
export const RUN_DEFECTS: readonly PlantedDefect[] = [
  {
    name: 'run-goes-on-after-unknown-outcome',
    file: FILE,
    search: "outcome: 'UNKNOWN' }) as const);\n      return { action: 'HALT', outcomes, held: HELD_BACK };",
    replace: "outcome: 'UNKNOWN' }) as const);\n      return goOn(outcomes, []);",
    invariants: ['write-order', 'write-once'],
  },
  {
    name: 'run-unknown-outcome-is-not-sent',
    file: FILE,
    search: "outcome: 'UNKNOWN' }) as const);\n      return { action",
    replace: "outcome: 'NOT_SENT' }) as const);\n      return { action",
    invariants: ['write-once'],
  },
  {
    name: 'run-unknown-outcome-is-sent-again',
    file: FILE,
    search: "outcome: 'UNKNOWN' }) as const);\n      return { action: 'HALT', outcomes, held: HELD_BACK };",
    replace: `outcome: 'UNKNOWN' }) as const);
      return goOn(outcomes, isOver ? [] : [step]);`,
    invariants: ['write-once'],
  },
  {
    name: 'run-part-of-a-split-is-sent-twice',
    file: FILE,
    search: 'parts.flatMap((part) => step.only(part))',
    replace: 'parts.flatMap((part) => [...step.only(part), ...step.only(part)])',
    invariants: ['write-once'],
  },
];
