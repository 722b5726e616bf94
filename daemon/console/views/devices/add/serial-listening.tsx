import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../../api/console-context.ts';
import type { ScanResult } from '../../../../interface/plant/scans.ts';
import { tryChannels } from '../../../forms/channels/trial.ts';
import { explainCause } from '../../../parts/gateway-words.ts';
import { FailureNotice, Notice } from '../../../parts/notice.tsx';
import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';
import { LISTENING, offerNumbers, splitCapture, toCapture, toFraming } from './line-offers.ts';
import type { Offer } from './offer.ts';

/** What was received from a serial instrument, in the form of a scan result. */
export interface Capture {
  readonly id: string;
  readonly result: ScanResult;
  readonly offers: readonly Offer[];
}

interface SerialListeningProps {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly isBusy: boolean;
  readonly onCapture: (capture: Capture) => void;
}

// Shorter than the deadline of a trial.
const LISTENING_MS = 9000;

/** Receives what an instrument sends, unrequested or on a request, and finds the values in it. */
export function SerialListening({ settings, isBusy, onCapture }: SerialListeningProps): JSX.Element {
  const { rest } = useConsole();
  const [request, setRequest] = useState('');
  const [isListening, setListening] = useState(false);
  const [reason, setReason] = useState('');
  const [frames, setFrames] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>(undefined);
  const listen = async (): Promise<void> => {
    setListening(true);
    setError(undefined);
    setReason('');
    setFrames([]);
    try {
      const place = {
        type: 'serial',
        settings: { responseTimeoutMs: LISTENING_MS, ...settings, ...LISTENING },
      };
      const { records } = await tryChannels(rest, place, { channels: [toCapture(request)] });
      const [record] = records;
      if (record?.channelStatus.channelFlag !== 'SUCCESS') {
        setReason(
          explainCause(record?.statusCode, record?.channelStatus.exceptionMessage ?? '', record?.reasons),
        );
        return;
      }
      const captured = splitCapture(String(record.value));
      setFrames(captured.frames);
      const connection = { type: 'serial', settings: { ...settings, ...toFraming(captured) } };
      onCapture({
        id: `${Date.now()}`,
        result: { isComplete: true, connection, assets: [{ pid: 'instrument' }], notes: [] },
        offers: offerNumbers(captured, request),
      });
    } catch (thrown) {
      setError(thrown);
    } finally {
      setListening(false);
    }
  };
  return (
    <>
      <p class="soft">{fill(DEVICES.listenHint)}</p>
      <label class="field">
        <span>{fill(DEVICES.request)}</span>
        <input
          name="request"
          class="values"
          autocomplete="off"
          placeholder="W\r\n"
          value={request}
          onInput={({ currentTarget }) => setRequest(currentTarget.value)}
        />
      </label>
      <div class="tools">
        <button
          class="main"
          type="button"
          disabled={isBusy || isListening || settings['device'] === undefined}
          onClick={() => void listen()}
        >
          {fill(DEVICES.listen)}
        </button>
        <span role="status">{isListening ? fill(DEVICES.listening) : ''}</span>
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {reason === '' ? undefined : (
        <Notice level="attention">{fill(DEVICES.nothingCaptured, { reason })}</Notice>
      )}
      {frames.length === 0 ? undefined : (
        <div class="captured">
          <h2>{fill(DEVICES.captured)}</h2>
          <ul>
            {frames.map((frame) => (
              <li key={frame} class="values">
                {frame}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}
