import { rmSync } from 'node:fs';
import path from 'node:path';

import { copyTree } from './defective-tree.ts';
import type { PlantedDefect } from './planted-defect.ts';
import { runWorlds } from './world-process.ts';
import type { BrokenWorld } from './world-process.ts';

interface DefectHuntOptions {
  /** For the copies of the tree. */
  readonly directory: string;
  /** The seeds of all worlds follow from it, so that each defect meets the same worlds. */
  readonly seed: string;
  /** Of a processor, for each defect. */
  readonly cpuSeconds: number;
}

// Short worlds begin with another plant and other clients the sooner.
const HOURS = 6;

/** What became of the search for one defect. */
export interface Finding {
  /** The first that did not hold because of the defect; undefined when there was none of those of its row. */
  readonly seen: BrokenWorld | undefined;
  /** Of a processor, and of the simulated world, until it was seen. */
  readonly cpuSeconds: number;
  readonly simulatedMs: number;
  /** What else happened, in words. */
  readonly remarks: readonly string[];
}

/** Looks for one defect after the other, each in the same worlds. */
export class DefectHunt {
  readonly #options: DefectHuntOptions;
  readonly #soundDirectory: string;
  // What does not hold without any defect, by seed and length.
  readonly #sound = new Map<string, BrokenWorld | undefined>();

  constructor(options: DefectHuntOptions) {
    this.#options = options;
    this.#soundDirectory = path.join(options.directory, 'sound');
    copyTree(this.#soundDirectory);
  }

  /** Runs worlds with the defect until one of the invariants of its row breaks that holds without it, or the time is over. */
  async search(defect: PlantedDefect): Promise<Finding> {
    const { directory, seed, cpuSeconds: limit } = this.#options;
    const tree = path.join(directory, defect.name);
    copyTree(tree, defect);
    const remarks: string[] = [];
    let cpuSeconds = 0;
    let simulatedMs = 0;
    try {
      for (let turn = 1; cpuSeconds < limit; turn += 1) {
        const run = await runWorlds({
          directory: tree,
          seed: `${seed}-${turn}`,
          hours: defect.hours ?? HOURS,
          cpuSeconds: limit - cpuSeconds,
        });
        cpuSeconds += run.cpuSeconds;
        simulatedMs += run.simulatedMs;
        if (run.broken === undefined) continue;
        const objection = await this.#findObjection(defect, run.broken);
        if (objection === undefined) return { seen: run.broken, cpuSeconds, simulatedMs, remarks };
        const { invariant, seed: brokenSeed, message } = run.broken;
        remarks.push(`${invariant} with seed ${brokenSeed}, ${objection}: ${message}`);
      }
    } catch (error) {
      remarks.push(error instanceof Error ? error.message : String(error));
    } finally {
      rmSync(tree, { recursive: true, force: true });
    }
    return { seen: undefined, cpuSeconds, simulatedMs, remarks };
  }

  /** @returns why this does not show the defect, in words; undefined when it does */
  async #findObjection(
    { invariants, hours = HOURS }: PlantedDefect,
    broken: BrokenWorld,
  ): Promise<string | undefined> {
    const { invariant, seed } = broken;
    if (!invariants.includes(invariant)) return 'which is not of its row';
    const key = `${seed} ${hours}`;
    if (!this.#sound.has(key)) {
      const { broken: brokenAnyway } = await runWorlds({ directory: this.#soundDirectory, seed, hours });
      this.#sound.set(key, brokenAnyway);
    }
    return this.#sound.get(key)?.invariant === invariant ? 'as without the defect' : undefined;
  }
}
