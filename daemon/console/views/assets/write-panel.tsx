import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { makeRequestKey } from '../../api/request-key.ts';
import type {
  ChannelRecord,
  WriteResultRecord,
  readAsset,
  writeChannels,
} from '../../../interface/plant/assets.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatUnit } from '../../text/format.ts';
import { SHELL } from '../../text/shell.ts';
import { formatExactly } from '../../text/value-text.ts';
import { decimalsOf, labelOf, qualityOf, unitOf, valueOf } from './channel-row.ts';
import type { ChannelRow } from './channel-row.ts';
import { OutcomeLine } from './outcome.tsx';
import type { WriteEnd } from './outcome.tsx';
import { readTyped } from './write-value.ts';

/** Checked value: the next step sends exactly this, once. */
interface Checked {
  readonly value: string | number | boolean;
  /** Channel value at the time of the check; undefined if unknown. */
  readonly ifValue: string | number | boolean | undefined;
  readonly key: string;
}

const OTHER = 'other';

interface WritePanelProps {
  readonly pid: string;
  readonly row: ChannelRow;
  /** Who wrote it last; empty: unknown. */
  readonly lastWrite: string;
  /** Called after each write. */
  readonly onWritten: () => void;
  readonly onClose: () => void;
}

/** Writes a channel in two steps: a check that sends nothing, and the write, whose button names the value. */
export function WritePanel({ pid, row, lastWrite, onWritten, onClose }: WritePanelProps): JSX.Element {
  const { rest } = useConsole();
  const { channel, live } = row;
  const { name, valueType } = channel;
  const unit = formatUnit(channel.unit);
  const [text, setText] = useState('');
  const [checked, setChecked] = useState<Checked | undefined>(undefined);
  const [end, setEnd] = useState<WriteEnd | undefined>(undefined);
  const [wrong, setWrong] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  // A value without a label.
  const [isOther, setOther] = useState(false);
  const [isLocked, setLocked] = useState(false);
  const [former, setFormer] = useState<Checked['ifValue']>(undefined);
  // A second click before the next paint must not send twice.
  const isSending = useRef(false);
  const decimals = decimalsOf(channel);
  const { isUp } = rest.link.state.value;
  const form = useRef<HTMLFormElement>(null);
  const nextStep = useRef<HTMLDivElement>(null);
  // Synchronously, before the next key: fast typing must not lose a digit.
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('input, select')?.focus(), []);
  useEffect(() => {
    if (checked !== undefined) nextStep.current?.scrollIntoView({ block: 'nearest' });
  }, [checked]);

  const send = async (given: Checked, isTrial: boolean): Promise<void> => {
    if (isSending.current) return;
    isSending.current = true;
    setError(undefined);
    try {
      const { value, ifValue, key } = given;
      const element = { name, type: valueType, value, ...(ifValue === undefined ? {} : { ifValue }) };
      const { value: records, headers } = await rest.exchange<typeof writeChannels>(
        'POST',
        `/services/assets/${encodeURIComponent(pid)}/_write${isTrial ? '?dryRun=true' : ''}`,
        { body: { channels: [element] }, headers: isTrial ? {} : { 'Idempotency-Key': key } },
      );
      const [record] = records;
      if (record === undefined) return;
      const isPassed = record.channelStatus.channelFlag === 'SUCCESS';
      if (isTrial && isPassed) setChecked(given);
      else settle(record, headers.get('x-request-id') ?? '', ifValue);
    } catch (thrown) {
      setError(thrown);
    } finally {
      isSending.current = false;
    }
  };
  const settle = (record: WriteResultRecord, requestId: string, before: Checked['ifValue']): void => {
    setEnd({ record, requestId });
    onWritten();
    setChecked(undefined);
    setLocked(record.outcome === 'UNKNOWN');
    if (record.outcome === 'VERIFIED' || record.outcome === 'ACKNOWLEDGED') setFormer(before);
  };
  const check = (typed: string): void => {
    setEnd(undefined);
    setChecked(undefined);
    const read = readTyped(typed, valueType);
    setWrong(read.kind === 'WRONG' ? read.message : undefined);
    if (read.kind === 'WRONG') return;
    const isKnown = channel.type === 'READ_WRITE' && row.state === 'GOOD';
    const ifValue = isKnown ? live?.lastGood?.value : undefined;
    void send({ value: read.value, ifValue, key: makeRequestKey() }, true);
  };
  const readAgain = async (): Promise<void> => {
    setError(undefined);
    try {
      await rest.call<typeof readAsset>(
        'GET',
        `/services/assets/${encodeURIComponent(pid)}/_read?channels=${encodeURIComponent(name)}`,
      );
      setLocked(false);
    } catch (thrown) {
      setError(thrown);
    }
  };
  const shown = (value: string | number | boolean): string => {
    const label = labelOf(channel, value);
    const exact = formatExactly(value, decimals);
    return label === undefined ? exact : `${exact} (${label})`;
  };

  return (
    <form
      class="write"
      ref={form}
      aria-label={fill(ASSETS.writeTitle, { channel: name })}
      onSubmit={(event) => {
        event.preventDefault();
        if (checked === undefined && isUp) check(text);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <h2>
        {fill(ASSETS.writeTitle, { channel: name })}{' '}
        <span class="values soft">
          {fill(ASSETS.currentValue, { value: valueOf(row), unit: unitOf(row) })}
        </span>{' '}
        <span class="faint">{qualityOf(row)}</span>
      </h2>
      <Limits row={row} />
      {lastWrite === '' ? undefined : <p class="soft last-write">{lastWrite}</p>}
      <div class="tools typed">
        {valueType === 'BOOLEAN' ? (
          <BooleanChoice channel={channel} text={text} onChoose={change} />
        ) : channel.labels !== undefined && !isOther ? (
          <LabelChoice
            labels={channel.labels}
            text={text}
            onChoose={(chosen) => {
              setOther(chosen === undefined);
              change(chosen ?? '');
            }}
          />
        ) : (
          <label>
            <span class="hidden">{fill(ASSETS.newValue)}</span>
            <input
              name="value"
              autocomplete="off"
              inputmode={valueType === 'STRING' || valueType === 'BYTE_ARRAY' ? 'text' : 'decimal'}
              aria-invalid={wrong !== undefined}
              value={text}
              onInput={({ currentTarget }) => change(currentTarget.value)}
            />
          </label>
        )}
        <span class="soft">{unit}</span>
        <button type="submit" disabled={isLocked || !isUp}>
          {fill(ASSETS.check)}
        </button>
        <button class="plain" type="button" onClick={onClose}>
          {fill(SHELL.close)}
        </button>
      </div>
      {wrong === undefined ? undefined : (
        <p class="field-fault" role="alert">
          {wrong}
        </p>
      )}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <div class="tools next" role="status" ref={nextStep}>
        {checked === undefined ? undefined : (
          <>
            <span>{fill(ASSETS.wouldSend, { value: shown(checked.value), unit })}</span>
            <button class="main" type="button" disabled={!isUp} onClick={() => void send(checked, false)}>
              {fill(ASSETS.writeValue, { value: shown(checked.value), unit })}
            </button>
          </>
        )}
      </div>
      {end === undefined ? undefined : <OutcomeLine {...end} decimals={decimals} />}
      {isLocked || end?.record.outcome === 'ACKNOWLEDGED' ? (
        <div>
          <button type="button" onClick={() => void readAgain()}>
            {fill(ASSETS.readAgain)}
          </button>
        </div>
      ) : undefined}
      {former === undefined ? undefined : (
        <div class="tools soft">
          {fill(ASSETS.noUndo)}
          <button
            type="button"
            disabled={!isUp}
            onClick={() => {
              change(String(former));
              check(String(former));
            }}
          >
            {fill(ASSETS.formerValue, { value: shown(former), unit })}
          </button>
        </div>
      )}
    </form>
  );

  function change(next: string): void {
    setText(next);
    setChecked(undefined);
    setWrong(undefined);
  }
}

interface BooleanChoiceProps {
  readonly channel: Pick<ChannelRecord, 'labels'>;
  /** Empty: no choice yet. */
  readonly text: string;
  readonly onChoose: (text: string) => void;
}

function BooleanChoice({ channel, text, onChoose }: BooleanChoiceProps): JSX.Element {
  return (
    <fieldset class="tools">
      <legend class="hidden">{fill(ASSETS.newValue)}</legend>
      {(['true', 'false'] as const).map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="value"
            value={each}
            checked={text === each}
            onChange={() => onChoose(each)}
          />{' '}
          {labelOf(channel, each === 'true') ?? fill(each === 'true' ? ASSETS.on : ASSETS.offValue)}
        </label>
      ))}
    </fieldset>
  );
}

interface LabelChoiceProps {
  readonly labels: Readonly<Record<string, string>>;
  readonly text: string;
  /** Receives undefined if the value is to be typed. */
  readonly onChoose: (text: string | undefined) => void;
}

function LabelChoice({ labels, text, onChoose }: LabelChoiceProps): JSX.Element {
  return (
    <label>
      <span class="hidden">{fill(ASSETS.newValue)}</span>
      <select
        name="value"
        value={text}
        onChange={({ currentTarget: { value } }) => onChoose(value === OTHER ? undefined : value)}
      >
        <option value="">–</option>
        {Object.entries(labels).map(([value, label]) => (
          <option key={value} value={value}>
            {`${value} ${label}`}
          </option>
        ))}
        <option value={OTHER}>{fill(ASSETS.otherValue)}</option>
      </select>
    </label>
  );
}

function Limits({ row }: { readonly row: ChannelRow }): JSX.Element | undefined {
  const { minimum, maximum } = row.channel.write ?? {};
  if (minimum === undefined && maximum === undefined) return undefined;
  const decimals = decimalsOf(row.channel);
  const words = (limit: number | undefined): string =>
    limit === undefined ? '…' : formatExactly(limit, decimals);
  return <p class="soft">{fill(ASSETS.range, { minimum: words(minimum), maximum: words(maximum) })}</p>;
}
