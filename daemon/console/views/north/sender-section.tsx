import type { JSX } from 'preact';

import type { Bundle, BundleCheck } from '../../../interface/software/bundles.ts';
import { causeWords, checkWords, reportWords } from '../../parts/bundle-words.ts';
import { shownBundle } from '../../parts/bundle-state.ts';
import { linkTo } from '../../parts/route.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { fill } from '../../text/fill.ts';
import { formatCount, formatTime } from '../../text/format.ts';
import { NORTH, SENDER_COUNTERS } from '../../text/north.ts';
import type { Text } from '../../text/text.ts';
import { ReaderTable } from './reader-table.tsx';
import type { Sender } from './senders.ts';

const TONES = { OK: 'good', WARNING: 'attention', ERROR: 'fault' } as const;
const STATES = { OK: NORTH.OK, WARNING: NORTH.WARNING, ERROR: NORTH.ERROR } as const;
const SEVERITIES = { ERROR: 0, WARNING: 1, OK: 2 } as const;
const BIRTH = 'lastBirthMs';
// Their 0 is an answer: nothing is waiting, and nothing is missing. Of the others it says that they do not apply.
const SHOWN_AT_ZERO: ReadonlySet<string> = new Set([
  'backlog',
  'gaps',
  'reconnects',
  'sent',
  'messages',
  'samples',
]);

/** One sender: state, links, checks with remedies, recorders with their backlog, counters. */
export function SenderSection({ sender: { bundle, readers } }: { readonly sender: Sender }): JSX.Element {
  const { name, version, status } = bundle;
  const { checks = [], counters = {} } = status ?? {};
  return (
    <section class="sender" aria-label={name}>
      <h2>
        {name} <span class="faint">{version}</span>
      </h2>
      <Summary bundle={bundle} />
      <p class="sender-links">
        {bundle.hasSettings === true ? (
          <a href={linkTo(['software', 'bundles'], { settings: name })}>
            {fill(NORTH.settings)}
            <span class="hidden"> {name}</span>
          </a>
        ) : undefined}
        <a href={linkTo(['software', 'bundles'], { log: name })}>
          {fill(NORTH.log)}
          <span class="hidden"> {name}</span>
        </a>
      </p>
      {checks.length === 0 ? undefined : <CheckTable name={name} checks={checks} />}
      {readers.length === 0 ? undefined : (
        <ReaderTable label={fill(NORTH.readers, { name })} heading={fill(NORTH.recorder)} readers={readers} />
      )}
      {Object.keys(counters).length === 0 ? undefined : <Counters counters={counters} />}
    </section>
  );
}

/** State of the process if it does not run, otherwise what the bundle reports of itself. */
function Summary({ bundle }: { readonly bundle: Bundle }): JSX.Element {
  const { state, status } = bundle;
  if (state === 'ACTIVE' && status !== undefined) {
    const words = reportWords(status) ?? fill(STATES[status.state]);
    return (
      <p>
        <StateWord tone={TONES[status.state]} words={words} isCurrent />
      </p>
    );
  }
  const cause = causeWords(bundle) ?? (state === 'ACTIVE' ? fill(NORTH.noReport) : undefined);
  return (
    <>
      <p>
        <StateWord {...shownBundle(state)} />
      </p>
      {cause === undefined ? undefined : <p>{cause}</p>}
    </>
  );
}

function CheckTable({
  name,
  checks,
}: Readonly<{ name: string; checks: readonly BundleCheck[] }>): JSX.Element {
  const sorted = checks.toSorted((left, right) => SEVERITIES[left.state] - SEVERITIES[right.state]);
  return (
    <table class="sender-checks stacked" aria-label={fill(NORTH.checks, { name })}>
      <thead>
        <tr>
          <th scope="col">{fill(NORTH.check)}</th>
          <th scope="col">{fill(NORTH.result)}</th>
          <th scope="col">{fill(NORTH.remedy)}</th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(checkWords).map((check) => (
          <tr key={check.name}>
            <td>{check.name}</td>
            <td>
              <StateWord tone={TONES[check.state]} words={fill(STATES[check.state])} isCurrent />
              <div>{check.detail}</div>
            </td>
            {check.remedy === undefined ? (
              <td class="nothing">–</td>
            ) : (
              <td data-title={fill(NORTH.remedy)}>{check.remedy}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Counters({ counters }: { readonly counters: Readonly<Record<string, number>> }): JSX.Element {
  const birthMs = counters[BIRTH];
  const known = Object.entries(SENDER_COUNTERS).flatMap(([key, text]: readonly [string, Text]) =>
    counters[key] === undefined ? [] : [{ key, title: fill(text), value: counters[key] }],
  );
  // Of bundles by others, and of versions to come.
  const others = Object.entries(counters)
    .filter(([key]) => key !== BIRTH && !(key in SENDER_COUNTERS))
    .map(([key, value]) => ({ key, title: key, value }));
  const shown = [...known, ...others].filter(({ key, value }) => value !== 0 || SHOWN_AT_ZERO.has(key));
  return (
    <dl class="counters" aria-label={fill(NORTH.counters)}>
      {birthMs === undefined ? undefined : (
        <div>
          <dt>{fill(NORTH.lastBirth)}</dt>
          <dd class="values">{birthMs === 0 ? fill(NORTH.noBirth) : formatTime(birthMs)}</dd>
        </div>
      )}
      {shown.map(({ key, title, value }) => (
        <div key={key}>
          <dt>{title}</dt>
          <dd class="values">{formatCount(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
