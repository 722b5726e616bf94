import { READS, RECORDING, SOFTWARE } from '../measured.ts';
import { measureProcessor } from '../northbound-processor.ts';
import type { Scenario } from '../scenario.ts';

/** What sending samples as a Sparkplug edge node costs. */
export const sparkplug: Scenario = {
  name: 'sparkplug',
  measures: [...READS, ...RECORDING, ...SOFTWARE, 'bundles/mqtt', 'bundles/penstock-sparkplug'],
  run: (bench) =>
    measureProcessor(bench, {
      bundle: 'penstock-sparkplug',
      manner: 'to mosquitto by Sparkplug',
      gate: 8,
      goal: 4,
    }),
};
