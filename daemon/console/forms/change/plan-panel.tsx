import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { translateSentences } from '../../parts/gateway-words.ts';
import { Notice } from '../../parts/notice.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { SHELL } from '../../text/shell.ts';
import { DifferenceList } from './difference-list.tsx';
import { listItems } from './edit-target.ts';
import type { Document } from './edit-target.ts';
import type { ChangeSteps, PlannedChange } from './use-change.ts';

interface PlanPanelProps {
  readonly steps: ChangeSteps;
  readonly planned: PlannedChange;
  /** Active configuration. */
  readonly document: Document;
}

const MINUTES = [1, 2, 5, 10, 15];
// Changes that can cut off the current access.
const WAYS_IN = /^(rest|token\w+Services)\//;

/** Shows the plan of a change and applies it, pending confirmation. */
export function PlanPanel({ steps, planned, document }: PlanPanelProps): JSX.Element {
  const [minutes, setMinutes] = useState(2);
  const { plan, change } = planned;
  const isNothing = plan.added.length + plan.changed.length + plan.removed.length === 0;
  const isRisky = [...plan.changed, ...plan.removed].some((name) => WAYS_IN.test(name));
  return (
    <section class="plan" aria-labelledby="plan-title">
      <h2 id="plan-title">{fill(CONFIGURATION.planTitle)}</h2>
      {isNothing ? <p>{fill(CONFIGURATION.planNothing)}</p> : <PlanNames {...planned} />}
      <p>{describeRestarts(plan.restartedConnections, document)}</p>
      <Lines
        level="attention"
        title={fill(CONFIGURATION.cutsOff)}
        lines={translateSentences(plan.cutsOff, plan.findings)}
      />
      <Lines
        level="attention"
        title={fill(CONFIGURATION.warnings)}
        lines={translateSentences(plan.warnings ?? [], plan.findings)}
      />
      <Lines level="info" title={fill(CONFIGURATION.templates)} lines={plan.changedTemplates ?? []} />
      {isRisky ? (
        <Notice
          level="attention"
          actions={
            <a class="button" href={location.pathname} target="_blank" rel="noopener">
              {fill(CONFIGURATION.openWindow)}
            </a>
          }
        >
          {fill(CONFIGURATION.otherWindow)}
        </Notice>
      ) : undefined}
      <div class="tools">
        <label>
          {fill(CONFIGURATION.comesBack)}{' '}
          <select
            value={String(minutes)}
            onChange={({ currentTarget }) => setMinutes(Number(currentTarget.value))}
          >
            {MINUTES.map((count) => (
              <option key={count} value={String(count)}>
                {fill(CONFIGURATION.minutes, { count })}
              </option>
            ))}
          </select>
        </label>
        <button
          class="main"
          type="button"
          disabled={steps.isBusy || (isNothing && change.differences.length === 0)}
          onClick={() => void steps.apply(minutes)}
        >
          {fill(CONFIGURATION.apply)}
        </button>
        <button type="button" onClick={() => steps.clear()}>
          {fill(SHELL.cancel)}
        </button>
      </div>
    </section>
  );
}

/** Lists the changed values and other affected items without known values. */
function PlanNames({ plan, change }: PlannedChange): JSX.Element {
  const listed = new Set(change.differences.map(({ path }) => path.slice(0, 2).join('/')));
  const others = [
    ...plan.added.map((name) => ({ sign: '+', name })),
    ...plan.changed.map((name) => ({ sign: '~', name })),
    ...plan.removed.map((name) => ({ sign: '−', name })),
  ].filter(({ name }) => !listed.has(name));
  return (
    <>
      <DifferenceList differences={change.differences} />
      {others.length === 0 ? undefined : (
        <ul class="differences">
          {others.map(({ sign, name }) => (
            <li key={name} class="code">
              <span class="sign">{sign}</span> {name}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface LinesProps {
  readonly level: 'info' | 'attention';
  readonly title: string;
  readonly lines: readonly string[];
}

function Lines({ level, title, lines }: LinesProps): JSX.Element | undefined {
  if (lines.length === 0) return undefined;
  return (
    <Notice level={level}>
      {title}
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Notice>
  );
}

function describeRestarts(drivers: readonly string[], document: Document): string {
  if (drivers.length === 0) return fill(CONFIGURATION.restartsNone);
  const assets = listItems(document, 'assets')
    .filter(({ driver }) => typeof driver === 'string' && drivers.includes(driver))
    .map(({ pid }) => String(pid));
  const values = { drivers: drivers.join(', '), assets: assets.join(', ') };
  const text = assets.length === 0 ? CONFIGURATION.restartsAlone : CONFIGURATION.restarts;
  return `${fill(text, values)} ${fill(CONFIGURATION.nothingElse)}`;
}
