import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { ConnectionTest, DriverInfo, testDriver } from '../../../interface/plant/drivers.ts';
import { explainCause, translateParts, translateSentences } from '../../parts/gateway-words.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { COUNTERS } from '../../text/counters.ts';
import { DEVICES, TEST_OUTCOMES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { formatCount } from '../../text/format.ts';
import { formatExactly } from '../../text/value-text.ts';
import { DecodeForm } from './decode-form.tsx';
import { DriverSection } from './driver-choice.tsx';
import { LinePlan } from './line-plan.tsx';

/** Line: test, counters, requests and load, identification of registers. */
export function LineView({ pid }: { readonly pid: string | undefined }): JSX.Element {
  return (
    <DriverSection section="line" pid={pid} empty={fill(DEVICES.noDriver)}>
      {(driver) => (
        <>
          <ConnectionTestLine key={driver.pid} pid={driver.pid} />
          {driver.lastError === undefined || driver.state === 'CONNECTED' ? undefined : (
            <Notice level="attention">
              {explainCause(driver.lastErrorCode, driver.lastError, driver.lastErrorReasons)}
            </Notice>
          )}
          {translateSentences(driver.warnings ?? [], driver.findings).map((words) => (
            <Notice key={words} level="attention">
              {words}
            </Notice>
          ))}
          <LinePlan key={`plan ${driver.pid}`} assets={driver.assets} />
          {driver.assets.length === 0 ? undefined : (
            <DecodeForm key={`decode ${driver.pid}`} assets={driver.assets} />
          )}
          <Counters counters={driver.counters} />
        </>
      )}
    </DriverSection>
  );
}

function ConnectionTestLine({ pid }: { readonly pid: string }): JSX.Element {
  const { rest } = useConsole();
  const [test, setTest] = useState<ConnectionTest | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const ask = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const target = `/services/drivers/v1/${encodeURIComponent(pid)}/_test` as const;
      setTest(await rest.call<typeof testDriver>('POST', target));
    } catch (thrown) {
      setTest(undefined);
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div class="tools">
        <button type="button" disabled={isBusy} onClick={() => void ask()}>
          {fill(DEVICES.test)}
          <span class="hidden"> {pid}</span>
        </button>
        <span role="status">{test === undefined ? '' : describeTest(test)}</span>
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} />}
    </>
  );
}

function describeTest(test: ConnectionTest): string {
  const { outcome, durationMs, asked = '', askedReasons, value, message = '', statusCode, reasons } = test;
  const request = translateParts({ message: asked, reasons: askedReasons });
  const answer =
    value === undefined
      ? [statusCode, explainCause(statusCode, message, reasons)]
      : [formatExactly(value, undefined)];
  return [
    fill(TEST_OUTCOMES[outcome]),
    fill(DEVICES.took, { ms: formatCount(durationMs) }),
    request,
    ...answer,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ');
}

function Counters({ counters }: Pick<DriverInfo, 'counters'>): JSX.Element {
  return (
    <details>
      <summary>{fill(DEVICES.counters)}</summary>
      <table class="counters">
        <tbody>
          {Object.entries(counters).map(([name, count]) => (
            <tr key={name}>
              <th scope="row" title={name}>
                {nameCounter(name)}
              </th>
              <td class="number">{formatCount(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

/** One of a driver in a bundle keeps its own name. */
function nameCounter(name: string): string {
  const text = COUNTERS[name];
  return text === undefined ? name : fill(text);
}
