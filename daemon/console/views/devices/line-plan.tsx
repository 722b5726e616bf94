import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { PlannedRequest, ReadPlan, planRead } from '../../../interface/plant/commissioning.ts';
import { explainCause, translateParts } from '../../parts/gateway-words.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { RangeBar } from '../../parts/range-bar.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { DEVICES } from '../../text/devices.ts';
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
  if (assets.length === 0) return <p class="soft">{fill(DEVICES.noAssets)}</p>;
  return (
    <>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : (
        <>
          <Budget plans={value} />
          <button type="button" onClick={() => void measure()}>
            {fill(DEVICES.measure, { assets: assets.join(', ') })}
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
  if (planned.length === 0) return <p class="soft">{fill(DEVICES.unplanned)}</p>;
  const sent = planned.flatMap(({ plan }) => plan.requests.filter(({ notSent }) => notSent === undefined));
  const times = sent.flatMap(({ measuredMs, wireMs }) => measuredMs ?? wireMs ?? []);
  const requests = formatCount(sent.length);
  if (times.length === 0) return <p>{fill(DEVICES.budgetUnknown, { requests })}</p>;
  const spentMs = Math.ceil(times.reduce((sum, ms) => sum + ms, 0));
  const isWhole = times.length === sent.length;
  const words = fill(isWhole ? DEVICES.budgetWords : DEVICES.budgetPart, {
    requests,
    known: formatCount(times.length),
    ms: formatCount(spentMs),
  });
  const tone = spentMs > ROUND_MS ? 'fault' : spentMs > TIGHT_MS ? 'attention' : 'none';
  return (
    <div class="budget">
      <p class={tone === 'none' ? '' : `state ${tone}`}>{words}</p>
      <RangeBar
        label={fill(DEVICES.budget)}
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
  const title = fill(DEVICES.requestsOf, { asset });
  return (
    <>
      <h2>{title}</h2>
      {plan.requests.length === 0 ? undefined : (
        <div class="wide-table" tabIndex={0} role="group" aria-label={title}>
          <table class="stacked requests">
            <thead>
              <tr>
                <th scope="col">{fill(DEVICES.request)}</th>
                <th scope="col">{fill(DEVICES.channels)}</th>
                <th scope="col" class="number">
                  {fill(DEVICES.bytes)}
                </th>
                <th scope="col" class="number">
                  {fill(DEVICES.onWire)}
                </th>
                <th scope="col" class="number">
                  {fill(DEVICES.measured)}
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
          <h3>{fill(DEVICES.notRead)}</h3>
          <ul>
            {plan.notRead.map(({ name, reason, statusCode, reasons }) => (
              <li key={name}>
                <span class="code">{name}</span> {explainCause(statusCode, reason, reasons)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function RequestRow({ request }: { readonly request: PlannedRequest }): JSX.Element {
  const { name, nameReasons, channels, requestBytes, answerBytes, wireMs, measuredMs } = request;
  const { notSent, notSentCode, notSentReasons } = request;
  return (
    <tr>
      <td class="values">
        {translateParts({ message: name, reasons: nameReasons })}
        {notSent === undefined ? undefined : (
          <div>
            <StateWord
              tone="attention"
              words={`${fill(DEVICES.notSent)}: ${explainCause(notSentCode, notSent, notSentReasons)}`}
            />
          </div>
        )}
      </td>
      <td>{channels.join(', ')}</td>
      <td class="number" data-title={fill(DEVICES.bytes)}>
        {formatCount(requestBytes + answerBytes)}
      </td>
      <td class="number" data-title={fill(DEVICES.onWire)}>
        {wordsOfTime(wireMs)}
      </td>
      <td class="number" data-title={fill(DEVICES.measured)}>
        {wordsOfTime(measuredMs)}
      </td>
    </tr>
  );
}

function wordsOfTime(ms: number | undefined): string {
  return ms === undefined ? '–' : fill(DEVICES.took, { ms: formatCount(Math.ceil(ms)) });
}
