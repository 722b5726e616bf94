import { measureProcessor } from '../northbound-processor.ts';
import type { Scenario } from '../scenario.ts';

/** What sending samples as a Sparkplug edge node costs. */
export const sparkplug: Scenario = {
  name: 'sparkplug',
  run: (bench) =>
    measureProcessor(bench, {
      bundle: 'penstock-sparkplug',
      manner: 'to mosquitto by Sparkplug',
      gate: 8,
      goal: 4,
    }),
};
