import { z } from '../../../daemon/base/schema.ts';

const programSchema = z.strictObject({
  /** Unique among all programs of a world: tells which file it is that runs. */
  id: z.string(),
  /** What it does when it is activated; `SLOW` takes some of the seconds that it may. */
  activation: z.enum(['PROMPT', 'SLOW', 'HANGS', 'THROWS', 'EXITS']),
  /** It ends by itself at this time after its activation, whenever it is started. */
  livesMs: z.number().optional(),
  /** It crashes at any time, this long after its activation on average. */
  meanLifeMs: z.number().optional(),
  /** Probability that it dies in a call, before or after it has done what was asked. */
  diesInCalls: z.number(),
  /** Milliseconds that a call takes, on average. */
  callMs: z.number(),
  /** It hears neither `deactivate` nor SIGTERM. */
  isDeaf: z.boolean(),
  /** Kind of driver that it offers. */
  driver: z.string().optional(),
});

/** What a simulated bundle does; it stands in its main module. */
export type BundleProgram = z.infer<typeof programSchema>;

/** Returns the text of a main module. */
export function writeProgram(program: BundleProgram): string {
  return JSON.stringify(program);
}

/** Returns what a main module says. @throws when it says nothing that a simulated bundle can do */
export function readProgram(text: string): BundleProgram {
  return programSchema.parse(JSON.parse(text));
}
