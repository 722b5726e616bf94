import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { PlannedRequest, ReadPlan, planRead } from '../../../interface/plant/commissioning.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { RangeBar } from '../../parts/range-bar.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { COMMISSION } from '../../text/commission.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { formatCount } from '../../text/format.ts';
import type { readAsset } from '../../../interface/plant/assets.ts';

interface AssetPlan {
  readonly asset: string;
  readonly plan: ReadPlan;
}

const ROUND_MS = 1000;
const TIGHT_MS = 800;

/** Requests of the assets of a line, and the resulting load. */
export function LinePlan({ assets }: { readonly assets: readonly string[] }): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource(`plan ${assets.join(' ')}`, async (abort) => {
    const plans: AssetPlan[] = [];
    for (const asset of assets) {
      const target = `/services/assets/${encodeURIComponent(asset)}/_plan` as const;
      const plan = await rest.call<typeof planRead>('GET', target, { abort });
      plans.push({ asset, plan });
    }
    return plans;
  });
  const [failure, setFailure] = useState<unknown>(undefined);
  const measure = async (): Promise<void> => {
    setFailure(undefined);
    try {
      for (const asset of assets)
        await rest.call<typeof readAsset>('GET', `/services/assets/${encodeURIComponent(asset)}/_read`);
    } catch (thrown) {
      setFailure(thrown);
    }
    reload();
  };
  if (assets.length === 0) return <p class="soft">{fill(COMMISSION.noAssets)}</p>;
  return (
    <>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : (
        <>
          <Budget plans={value} />
          <button type="button" onClick={() => void measure()}>
            {fill(COMMISSION.measure, { assets: assets.join(', ') })}
          </button>
          {failure === undefined ? undefined : <FailureNotice error={failure} />}
          {value.map((each) => (
            <AssetRequests key={each.asset} {...each} />
          ))}
        </>
      )}
    </>
  );
}

function Budget({ plans }: { readonly plans: readonly AssetPlan[] }): JSX.Element | undefined {
  const planned = plans.filter(({ plan }) => plan.isPlanned);
  if (planned.length === 0) return <p class="soft">{fill(COMMISSION.unplanned)}</p>;
  const sent = planned.flatMap(({ plan }) => plan.requests.filter(({ notSent }) => notSent === undefined));
  const times = sent.flatMap(({ measuredMs, wireMs }) => measuredMs ?? wireMs ?? []);
  const requests = formatCount(sent.length);
  if (times.length === 0) return <p>{fill(COMMISSION.budgetUnknown, { requests })}</p>;
  const spentMs = Math.ceil(times.reduce((sum, ms) => sum + ms, 0));
  const isWhole = times.length === sent.length;
  const words = fill(isWhole ? COMMISSION.budgetWords : COMMISSION.budgetPart, {
    requests,
    known: formatCount(times.length),
    ms: formatCount(spentMs),
  });
  const tone = spentMs > ROUND_MS ? 'fault' : spentMs > TIGHT_MS ? 'attention' : 'none';
  return (
    <div class="budget">
      <p class={tone === 'none' ? '' : `state ${tone}`}>{words}</p>
      <RangeBar
        label={fill(COMMISSION.budget)}
        words={words}
        minimum={0}
        maximum={ROUND_MS}
        value={spentMs}
        tone={tone}
      />
    </div>
  );
}

function AssetRequests({ asset, plan }: AssetPlan): JSX.Element {
  const title = fill(COMMISSION.requestsOf, { asset });
  return (
    <>
      <h2>{title}</h2>
      {plan.requests.length === 0 ? undefined : (
        <div class="wide-table" tabIndex={0} role="group" aria-label={title}>
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">{fill(COMMISSION.request)}</th>
                <th scope="col">{fill(COMMISSION.channels)}</th>
                <th scope="col" class="number">
                  {fill(COMMISSION.bytes)}
                </th>
                <th scope="col" class="number">
                  {fill(COMMISSION.onWire)}
                </th>
                <th scope="col" class="number">
                  {fill(COMMISSION.measured)}
                </th>
              </tr>
            </thead>
            <tbody>
              {plan.requests.map((request) => (
                <RequestRow key={`${request.name} ${request.channels.join(' ')}`} request={request} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {plan.notRead.length === 0 ? undefined : (
        <>
          <h3>{fill(COMMISSION.notRead)}</h3>
          <ul>
            {plan.notRead.map(({ name, reason }) => (
              <li key={name}>
                <span class="code">{name}</span> {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function RequestRow({ request }: { readonly request: PlannedRequest }): JSX.Element {
  const { name, channels, requestBytes, answerBytes, wireMs, measuredMs, notSent } = request;
  return (
    <tr>
      <td class="values">
        {name}
        {notSent === undefined ? undefined : (
          <div>
            <StateWord tone="attention" words={`${fill(COMMISSION.notSent)}: ${notSent}`} />
          </div>
        )}
      </td>
      <td>{channels.join(', ')}</td>
      <td class="number" data-title={fill(COMMISSION.bytes)}>
        {formatCount(requestBytes + answerBytes)}
      </td>
      <td class="number" data-title={fill(COMMISSION.onWire)}>
        {wordsOfTime(wireMs)}
      </td>
      <td class="number" data-title={fill(COMMISSION.measured)}>
        {wordsOfTime(measuredMs)}
      </td>
    </tr>
  );
}

function wordsOfTime(ms: number | undefined): string {
  return ms === undefined ? '–' : fill(COMMISSION.took, { ms: formatCount(Math.ceil(ms)) });
}
