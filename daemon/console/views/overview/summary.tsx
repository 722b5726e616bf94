import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { Icon } from '../../parts/icon.tsx';
import { translateFinding } from '../../parts/gateway-words.ts';
import { namePermission } from '../../parts/permission-words.ts';
import { useNow } from '../../parts/use-now.ts';
import { fill } from '../../text/fill.ts';
import { formatSpan } from '../../text/format.ts';
import { CHECK_NAMES, CHECK_STATES, OVERVIEW } from '../../text/overview.ts';
import type { AttentionState } from './attention-state.ts';
import type { CheckRound } from './use-checks.ts';
import type { GatewayCheck } from '../../../interface/status.ts';
import type { ShownState, Tone } from '../../parts/connection-state.ts';
import { SHELL } from '../../text/shell.ts';
import { StateWord } from '../../parts/state-word.tsx';

interface SummaryProps {
  readonly round: CheckRound;
  /** Number of items that need attention, including those that are not checks. */
  readonly count: number;
  /** Severity of the worst item. */
  readonly tone: AttentionState['tone'];
  /** Items that need attention. */
  readonly children: ComponentChildren;
}

/** Overall state in one line, and all checks on request. */
export function Summary({ round, count, tone, children }: SummaryProps): JSX.Element {
  const { rest } = useConsole();
  const [isOpen, setOpen] = useState(false);
  const { checks, isLimited } = round;
  const isCalm = tone === 'none' || tone === 'loading' || tone === 'hidden';
  return (
    <>
      <div class={`summary ${tone}`}>
        <p role="status">
          <strong>
            <Icon name={isCalm ? (isAsked(checks) ? 'good' : 'info') : tone} />
            {tone === 'unknown'
              ? describeUnknown(rest.link.state.value.isUp)
              : describeAttention(round, count)}
          </strong>{' '}
          {tone === 'unknown' ? undefined : <span class="others">{describeOtherChecks(round, count)}</span>}
        </p>
        <Age atMs={round.atMs} />
        <button type="button" aria-expanded={isOpen} aria-controls="checks" onClick={() => setOpen(!isOpen)}>
          {fill(isOpen ? OVERVIEW.hideChecks : OVERVIEW.showChecks)}
        </button>
      </div>
      {isLimited ? (
        <p class="soft">{fill(OVERVIEW.limited, { permission: namePermission('rest.events') })}</p>
      ) : undefined}
      {children}
      {isOpen ? <CheckTable checks={checks} /> : undefined}
    </>
  );
}

function Age({ atMs }: { readonly atMs: number }): JSX.Element {
  const agoMs = useNow() - atMs;
  // Rounded to seconds.
  return (
    <span>{agoMs < 500 ? fill(OVERVIEW.justNow) : fill(OVERVIEW.ago, { span: formatSpan(agoMs) })}</span>
  );
}

function describeUnknown(isUp: boolean): string {
  return fill(isUp ? OVERVIEW.failed : OVERVIEW.notKnown);
}

/** True if a device has been polled, or if there are no devices. */
function isAsked(checks: CheckRound['checks']): boolean {
  const devices = checks.filter(({ check }) => check === 'connection' || check === 'unit');
  return devices.length === 0 ? checks.length > 0 : devices.some(({ state }) => state !== 'UNKNOWN');
}

function describeAttention({ checks }: CheckRound, count: number): string {
  if (count === 0 && checks.length === 0) return fill(OVERVIEW.nothingChecked);
  if (count === 0) return fill(isAsked(checks) ? OVERVIEW.attentionNone : OVERVIEW.noneAsked);
  return count === 1 ? fill(OVERVIEW.attentionOne) : fill(OVERVIEW.attentionMany, { count });
}

function describeOtherChecks({ checks }: CheckRound, count: number): string {
  const good = checks.filter(({ state }) => state === 'GOOD').length;
  const unknown = checks.filter(({ state }) => state === 'UNKNOWN').length;
  // The previous sentence is sufficient.
  if (good === 0 && count === 0) return '';
  const passedMany = count === 0 ? OVERVIEW.allPassed : OVERVIEW.othersPassed;
  const well = good === 1 && count > 0 ? fill(OVERVIEW.otherPassed) : fill(passedMany, { count: good });
  return unknown === 0 ? `${well}.` : `${well}, ${fill(OVERVIEW.unknown, { count: unknown })}.`;
}

const TONES: Readonly<Record<GatewayCheck['state'], Tone>> = {
  GOOD: 'good',
  WARNING: 'attention',
  WRONG: 'fault',
  UNKNOWN: 'none',
};

/** All checks with their results. */
function CheckTable({ checks }: { readonly checks: readonly GatewayCheck[] }): JSX.Element {
  return (
    <table class="checks" id="checks">
      <caption class="hidden">{fill(OVERVIEW.showChecks)}</caption>
      <thead>
        <tr>
          <th scope="col">{fill(OVERVIEW.check)}</th>
          <th scope="col">{fill(OVERVIEW.found)}</th>
          <th scope="col">{fill(SHELL.details)}</th>
        </tr>
      </thead>
      <tbody>
        {checks.map((check) => (
          <tr key={`${check.check} ${check.driver ?? ''} ${check.name ?? ''}`}>
            <td>
              {fill(CHECK_NAMES[check.check])} <span class="values">{nameOf(check)}</span>
            </td>
            <td>
              <StateWord {...shownCheck(check.state)} />
            </td>
            <td class="soft">{translateFinding(check.finding, check.detail)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function nameOf({ check, driver, name = '' }: GatewayCheck): string {
  if (check === 'auditLog') return fill(name === 'chain' ? OVERVIEW.auditChain : OVERVIEW.auditStore);
  return driver === undefined ? name : `${driver}, ${name}`;
}

function shownCheck(state: GatewayCheck['state']): ShownState {
  return { tone: TONES[state], words: fill(CHECK_STATES[state]), isCurrent: true };
}
