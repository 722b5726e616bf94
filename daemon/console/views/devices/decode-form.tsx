import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { listChannels } from '../../../interface/plant/assets.ts';
import type {
  Decoding,
  DecodingCandidate,
  DecodingSetting,
  decodeChannel,
} from '../../../interface/plant/commissioning.ts';
import { ChangeEnd, changeTarget, useDocumentChange } from '../../forms/change/document-change.tsx';
import { getPart } from '../../forms/change/edit-target.ts';
import type { Document } from '../../forms/change/edit-target.ts';
import { explainCause } from '../../parts/gateway-words.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { route } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';

const SHOWN = 12;

/** Reads the registers of a channel and lists interpretations; one can be applied to the channel. */
export function DecodeForm({ assets }: { readonly assets: readonly string[] }): JSX.Element {
  const { rest } = useConsole();
  // A link of a channel chooses both.
  const { query } = route.value;
  const linked = query.get('asset') ?? '';
  const [asset = '', setAsset] = useState(assets.includes(linked) ? linked : assets[0]);
  const [channel, setChannel] = useState(query.get('channel') ?? '');
  const [expected, setExpected] = useState('');
  const [decoding, setDecoding] = useState<Decoding | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const change = useDocumentChange();
  const channels = useResource(asset, (abort) =>
    rest.call<typeof listChannels>('GET', `/services/assets/${encodeURIComponent(asset)}`, { abort }),
  );
  const names = (channels.value ?? []).filter(({ type }) => type !== 'WRITE').map(({ name }) => name);
  const name = names.includes(channel) ? channel : (names[0] ?? '');
  const forget = (): void => {
    setDecoding(undefined);
    change.steps.clear();
  };
  const decode = async (): Promise<void> => {
    forget();
    setError(undefined);
    try {
      const text = expected.trim();
      const body = { channel: name, ...(text === '' ? {} : { expected: readExpected(text) }) };
      const target = `/services/assets/${encodeURIComponent(asset)}/_decode` as const;
      setDecoding(await rest.call<typeof decodeChannel>('POST', target, { body }));
    } catch (thrown) {
      setError(thrown);
    }
  };
  const use = ({ address, valueScale, valueOffset }: DecodingSetting): void => {
    const { value } = change.configuration;
    const before = value === undefined ? undefined : (getPart(value.document, ['assets', asset]) as Document);
    if (value === undefined || before === undefined) return;
    const channelsBefore = listConfigured(before);
    const index = channelsBefore.findIndex((each) => each['name'] === name);
    const former = channelsBefore[index];
    if (former === undefined) return;
    const taken = { ...(former['address'] as Document), ...address };
    const next = channelsBefore.with(index, { ...former, address: taken, valueScale, valueOffset });
    void change.steps.plan(changeTarget(value, ['assets', asset], { ...before, channels: next }));
  };
  const { channelStatus, statusCode, reasons, bytes, candidates = [] } = decoding ?? {};

  return (
    <section class="decode" aria-labelledby="decode">
      <h2 id="decode">{fill(DEVICES.decode)}</h2>
      <p class="soft">{fill(DEVICES.decodeHint)}</p>
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== '') void decode();
        }}
      >
        <label class="field">
          <span>{fill(DEVICES.asset)}</span>
          <select
            name="asset"
            value={asset}
            onChange={({ currentTarget }) => {
              setAsset(currentTarget.value);
              forget();
            }}
          >
            {assets.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{fill(DEVICES.channel)}</span>
          <select
            name="channel"
            value={name}
            onChange={({ currentTarget }) => {
              setChannel(currentTarget.value);
              forget();
            }}
          >
            {names.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>{fill(DEVICES.expected)}</span>
          <input
            name="expected"
            class="code"
            autocomplete="off"
            maxLength={250}
            value={expected}
            onInput={({ currentTarget }) => setExpected(currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={name === ''}>
          {fill(DEVICES.decodeNow)}
        </button>
      </form>
      {channels.error === undefined ? undefined : (
        <FailureNotice error={channels.error} onRetry={channels.reload} />
      )}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {channelStatus?.channelFlag === 'FAILURE' ? (
        <Notice level="attention">
          {explainCause(statusCode, channelStatus.exceptionMessage ?? '', reasons)}
        </Notice>
      ) : undefined}
      {bytes === undefined ? undefined : <p class="code">{fill(DEVICES.rawBytes, { bytes })}</p>}
      {candidates.length === 0 ? undefined : (
        <div class="wide-table" tabIndex={0} role="group" aria-labelledby="decode">
          <table class="candidates">
            <thead>
              <tr>
                <th scope="col">{fill(DEVICES.value)}</th>
                <th scope="col">{fill(DEVICES.setting)}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {candidates.slice(0, SHOWN).map((candidate) => (
                <CandidateRow key={describe(candidate)} candidate={candidate} onUse={() => use(candidate)} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <ChangeEnd {...change} />
    </section>
  );
}

function CandidateRow({
  candidate,
  onUse,
}: Readonly<{ candidate: DecodingCandidate; onUse: () => void }>): JSX.Element {
  const { value, isConfigured, alternatives } = candidate;
  const setting = describe(candidate);
  return (
    <tr>
      <td class="number values">{String(value)}</td>
      <td class="values">
        {setting}
        {alternatives.length === 0 ? undefined : (
          <div class="faint">
            {fill(DEVICES.alternatives, { settings: alternatives.map(describe).join('; ') })}
          </div>
        )}
      </td>
      <td>
        {isConfigured ? (
          <span class="soft">{fill(DEVICES.inUse)}</span>
        ) : (
          <button type="button" aria-label={fill(DEVICES.useNamed, { setting })} onClick={onUse}>
            {fill(DEVICES.use)}
          </button>
        )}
      </td>
    </tr>
  );
}

function describe({ address, valueScale, valueOffset }: DecodingSetting): string {
  const parts = Object.values(address).map(String);
  if (valueScale !== 1) parts.push(`× ${valueScale}`);
  if (valueOffset !== 0) parts.push(`+ ${valueOffset}`);
  return parts.join(' ');
}

function listConfigured(asset: Document): readonly Document[] {
  return Array.isArray(asset['channels']) ? (asset['channels'] as readonly Document[]) : [];
}

function readExpected(text: string): number | string | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text.replace(',', '.'));
  return Number.isNaN(number) ? text : number;
}
