import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { ChangePlan } from '../../api/types.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { linkTo } from '../../parts/route.ts';
import { useNow } from '../../parts/use-now.ts';
import { COMMISSION } from '../../text/commission.ts';
import { fill } from '../../text/fill.ts';
import { formatSpan } from '../../text/format.ts';
import type { ScanResult } from './read-scan.ts';

interface PlanStepProps {
  readonly result: ScanResult;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly isEmpty: boolean;
}

interface Document {
  readonly drivers?: readonly unknown[];
  readonly assets?: readonly unknown[];
}

/** A change that was planned: what is applied is exactly this, on what was read. */
interface Planned {
  readonly plan: ChangePlan;
  readonly document: Document;
  readonly tag: string;
}

const CONFIGURATION = '/services/configuration/v1';
const CONFIRM_SECONDS = 120;

/** Adds what was found: the plan first, then the change, which comes back by itself unless a person keeps it. */
export function PlanStep({ result, settings, isEmpty }: PlanStepProps): JSX.Element {
  const { rest } = useConsole();
  const { connection, assets, notes, isComplete } = result;
  const [pid, setPid] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(assets.map((asset) => asset.pid)));
  const [planned, setPlanned] = useState<Planned | undefined>(undefined);
  const [untilMs, setUntil] = useState<number | undefined>(undefined);
  const [isKept, setKept] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const nowMs = useNow();
  const attempt = async (step: () => Promise<void>): Promise<void> => {
    setError(undefined);
    try {
      await step();
    } catch (thrown) {
      setError(thrown);
    }
  };
  const plan = async (): Promise<void> => {
    setPlanned(undefined);
    const { value, headers } = await rest.ask<Document>('GET', CONFIGURATION);
    const driver = connection.pid ?? pid.trim();
    const added = { ...settings, ...connection.settings, pid: driver, type: connection.type };
    const document = {
      ...value,
      drivers: [...(value.drivers ?? []), ...(connection.pid === undefined ? [added] : [])],
      assets: [
        ...(value.assets ?? []),
        ...assets
          .filter((asset) => chosen.has(asset.pid))
          .map((asset) => Object.assign({}, asset, { driver })),
      ],
    };
    const { value: found } = await rest.ask<ChangePlan>('PUT', `${CONFIGURATION}?dryRun=true`, {
      body: document,
    });
    setPlanned({ plan: found, document, tag: headers.get('etag') ?? '' });
  };
  const apply = async ({ document, tag }: Planned): Promise<void> => {
    await rest.ask('PUT', `${CONFIGURATION}?confirmWithin=${CONFIRM_SECONDS}`, {
      body: document,
      headers: { 'If-Match': tag },
    });
    setUntil(Date.now() + CONFIRM_SECONDS * 1000);
  };
  const keep = async (): Promise<void> => {
    await rest.ask('POST', `${CONFIGURATION}/_confirm`);
    setKept(true);
  };
  const isApplied = untilMs !== undefined;
  const isOver = isApplied && nowMs >= untilMs && !isKept;

  return (
    <section class="plan">
      {isEmpty ? <Notice level="info">{fill(COMMISSION.foundNothing)}</Notice> : undefined}
      {isComplete ? undefined : <Notice level="info">{fill(COMMISSION.incomplete)}</Notice>}
      {notes.map((note) => (
        <p key={note} class="soft">
          {note}
        </p>
      ))}
      {connection.pid === undefined ? (
        <label class="field">
          <span>{fill(COMMISSION.name)}</span>
          <input
            name="pid"
            autocomplete="off"
            disabled={isApplied}
            value={pid}
            onInput={({ currentTarget }) => {
              setPid(currentTarget.value);
              setPlanned(undefined);
            }}
          />
        </label>
      ) : (
        <p>{fill(COMMISSION.configured, { pid: connection.pid })}</p>
      )}
      <fieldset disabled={isApplied}>
        <legend class="soft">{fill(COMMISSION.assetsToAdd)}</legend>
        {assets.map((asset) => (
          <label key={asset.pid} class="choice">
            <input
              type="checkbox"
              checked={chosen.has(asset.pid)}
              onChange={({ currentTarget }) => {
                const next = new Set(chosen);
                if (currentTarget.checked) next.add(asset.pid);
                else next.delete(asset.pid);
                setChosen(next);
                setPlanned(undefined);
              }}
            />{' '}
            <span class="values">{asset.pid}</span>
          </label>
        ))}
      </fieldset>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {isApplied ? undefined : (
        <button
          type="button"
          disabled={connection.pid === undefined && pid.trim() === ''}
          onClick={() => void attempt(plan)}
        >
          {fill(COMMISSION.plan)}
        </button>
      )}
      {planned === undefined ? undefined : <PlanWords plan={planned.plan} isApplied={isApplied} />}
      {planned === undefined || isApplied ? undefined : (
        <button class="main" type="button" onClick={() => void attempt(() => apply(planned))}>
          {fill(COMMISSION.apply)}
        </button>
      )}
      {!isApplied || isKept || isOver ? undefined : (
        <Notice
          level="attention"
          actions={
            <button type="button" onClick={() => void attempt(keep)}>
              {fill(COMMISSION.keep)}
            </button>
          }
        >
          {fill(COMMISSION.takenBack, { time: formatSpan(untilMs - nowMs) })}
        </Notice>
      )}
      {isOver ? <Notice level="attention">{fill(COMMISSION.wasTakenBack)}</Notice> : undefined}
      {isKept ? (
        <Notice level="info" actions={<a href={linkTo(['assets'])}>{fill(COMMISSION.toAssets)}</a>}>
          {fill(COMMISSION.kept)}
        </Notice>
      ) : undefined}
    </section>
  );
}

function PlanWords({
  plan,
  isApplied,
}: {
  readonly plan: ChangePlan;
  readonly isApplied: boolean;
}): JSX.Element {
  const marks = { '+': plan.added, '~': plan.changed, '−': plan.removed };
  const connections = plan.restartedConnections.join(', ');
  return (
    <>
      <ul class="values">
        {Object.entries(marks).flatMap(([mark, items]) =>
          items.map((item) => (
            <li key={`${mark}${item}`}>
              {mark} {item}
            </li>
          )),
        )}
      </ul>
      <p>
        {connections === '' ? fill(COMMISSION.restartsNothing) : fill(COMMISSION.restarts, { connections })}
      </p>
      {[...plan.cutsOff, ...(plan.warnings ?? [])].map((words) => (
        <Notice key={words} level="attention">
          {words}
        </Notice>
      ))}
      {isApplied ? undefined : (
        <p class="soft">
          {fill(COMMISSION.planHint)} {fill(COMMISSION.comesBack)}
        </p>
      )}
    </>
  );
}
