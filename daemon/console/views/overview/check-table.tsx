import type { JSX } from 'preact';

import type { GatewayCheck } from '../../../interface/status.ts';
import type { ShownState, Tone } from '../../parts/connection-state.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { fill } from '../../text/fill.ts';
import { OVERVIEW } from '../../text/overview.ts';

const TONES: Readonly<Record<GatewayCheck['state'], Tone>> = {
  GOOD: 'good',
  WARNING: 'attention',
  WRONG: 'fault',
  UNKNOWN: 'none',
};

/** Everything that was checked, with what was found. */
export function CheckTable({ checks }: { readonly checks: readonly GatewayCheck[] }): JSX.Element {
  return (
    <table class="checks" id="checks">
      <caption class="hidden">{fill(OVERVIEW.showChecks)}</caption>
      <thead>
        <tr>
          <th scope="col">{fill(OVERVIEW.check)}</th>
          <th scope="col">{fill(OVERVIEW.found)}</th>
          <th scope="col" />
        </tr>
      </thead>
      <tbody>
        {checks.map((check) => (
          <tr key={`${check.check} ${check.driver ?? ''} ${check.name ?? ''}`}>
            <td>
              {fill(OVERVIEW[check.check])} <span class="values">{nameOf(check)}</span>
            </td>
            <td>
              <StateWord {...shownCheck(check.state)} />
            </td>
            <td class="soft">{check.detail}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function nameOf({ driver, name = '' }: GatewayCheck): string {
  return driver === undefined ? name : `${driver}, ${name}`;
}

function shownCheck(state: GatewayCheck['state']): ShownState {
  return { tone: TONES[state], words: fill(OVERVIEW[state]), isPresent: true };
}
