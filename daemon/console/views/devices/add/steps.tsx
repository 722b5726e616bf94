import type { JSX } from 'preact';

import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';

const STEPS = ['ADDRESS', 'FOUND', 'CHANNELS', 'PLAN', 'KEEP'] as const;
/** Step of adding a device. */
export type Step = (typeof STEPS)[number];

const NAMES = {
  ADDRESS: DEVICES.stepAddress,
  FOUND: DEVICES.stepFound,
  CHANNELS: DEVICES.stepChannels,
  PLAN: DEVICES.stepPlan,
  KEEP: DEVICES.stepKeep,
} as const;

/** The steps from an address to live values, and the present one. */
export function Steps({ step }: { readonly step: Step }): JSX.Element {
  return (
    <ol class="steps" aria-label={fill(DEVICES.steps5)}>
      {STEPS.map((each) => (
        <li
          key={each}
          class={STEPS.indexOf(each) < STEPS.indexOf(step) ? 'done' : ''}
          aria-current={each === step ? 'step' : undefined}
        >
          {fill(NAMES[each])}
        </li>
      ))}
    </ol>
  );
}
