import { buildPackage } from '../../support/package-builder.ts';
import type { BundleDescription } from '../../support/package-builder.ts';
import type { Random } from '../world/random.ts';
import { writeProgram } from './bundle-program.ts';
import type { BundleProgram } from './bundle-program.ts';
import { METER_DRIVER } from './meter.ts';

/** Name of the package whose bundle brings the driver of the meter. */
export const METER_PACKAGE = 'world.meter';

// The last one has bundles of another.
const BUNDLES: Readonly<Record<string, readonly string[]>> = {
  [METER_PACKAGE]: ['world.meter.driver'],
  'world.tools': ['world.tools.a', 'world.tools.b', 'world.tools.c'],
  'world.spare': ['world.spare.a', 'world.tools.c'],
};

/** What is wrong with the file of a package. */
type Defect = 'CUT' | 'GARBLED' | 'EMPTY' | 'NO_NAME';

/** A bundle of a package; without a program it is stored only. */
export interface DrawnBundle {
  readonly name: string;
  readonly version: string;
  readonly program: BundleProgram | undefined;
}

/** A package that somebody is going to install, and what is known of it. */
export interface DrawnPackage {
  readonly name: string;
  readonly version: string;
  readonly bundles: readonly DrawnBundle[];
  readonly content: Buffer;
  /** Undefined: the file is as it should be. */
  readonly defect: Defect | undefined;
}

/** Draws packages, so that no two programs are the same. */
export class PackageMaker {
  readonly #random: Random;
  #made = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The names of the packages that there are. */
  get names(): readonly string[] {
    return Object.keys(BUNDLES);
  }

  /** @param isGood whether it has to be one that can be installed */
  make(name: string, isGood = false): DrawnPackage {
    const random = this.#random;
    this.#made += 1;
    const version = `1.${random.integer(0, 3)}.${this.#made}`;
    const possible = BUNDLES[name] ?? [];
    const chosen = possible.filter(() => isGood || random.chance(0.7));
    const bundles = (chosen.length === 0 ? possible.slice(0, 1) : chosen).map((bundle): DrawnBundle => {
      const isStored = name !== METER_PACKAGE && random.chance(0.2);
      const program = isStored ? undefined : this.#drawProgram(name, bundle, isGood);
      return { name: bundle, version: `1.0.${this.#made}`, program };
    });
    const content = buildPackage({
      symbolicName: name,
      version,
      bundles: bundles.map(toDescription),
      resources: random.chance(0.5) ? { 'conf/settings.json': `{"made":${this.#made}}` } : {},
    });
    const defect = isGood || random.chance(0.85) ? undefined : random.pick(DEFECTS);
    return { name, version, bundles, content: spoil(content, defect, random), defect };
  }

  #drawProgram(name: string, bundle: string, isGood: boolean): BundleProgram {
    const random = this.#random;
    const weights = { PROMPT: 12, SLOW: 3, HANGS: 1, THROWS: 1, EXITS: 1 } as const;
    const isShort = !isGood && random.chance(0.08);
    // It stays up for as long as an installation waits, and not much longer, each time.
    const loops = !isShort && !isGood && random.chance(0.25);
    const crashes = !isShort && !loops && random.chance(0.3);
    return {
      id: `${bundle}#${this.#made}`,
      activation: isGood ? 'PROMPT' : random.pickWeighted(weights),
      ...(isShort
        ? { livesMs: random.integer(0, 4900) }
        : loops
          ? { livesMs: random.integer(5200, 50_000) }
          : {}),
      ...(crashes ? { meanLifeMs: 1000 * random.integer(600, 20_000) } : {}),
      diesInCalls: random.chance(0.2) ? 0.001 : 0,
      callMs: random.pick([2, 2, 20, 200]),
      isDeaf: random.chance(0.1),
      ...(name === METER_PACKAGE ? { driver: METER_DRIVER } : {}),
    };
  }
}

const DEFECTS: readonly Defect[] = ['CUT', 'GARBLED', 'EMPTY', 'NO_NAME'];

function toDescription({ name: symbolicName, version, program }: DrawnBundle): BundleDescription {
  return { symbolicName, version, ...(program === undefined ? {} : { main: writeProgram(program) }) };
}

function spoil(content: Buffer, defect: Defect | undefined, random: Random): Buffer {
  if (defect === 'CUT') return content.subarray(0, random.integer(1, content.length - 1));
  if (defect === 'EMPTY') return Buffer.alloc(0);
  if (defect === 'NO_NAME') return buildPackage({ symbolicName: 'not a name' });
  if (defect === undefined) return content;
  // The first bytes: those of a file that is no archive at all.
  const spoiled = Buffer.from(content);
  random.bytes(16).copy(spoiled);
  return spoiled;
}
