import type { Asset, AssetReading, AssetWriteOptions } from '../asset/asset.ts';
import { decodeChannel } from '../asset/decode/decode-channel.ts';
import type { Decoding } from '../asset/decode/decode-channel.ts';
import type { ExpectedValue } from '../asset/decode/decode-plausibility.ts';
import type { FailingChannel } from '../asset/failing-channels.ts';
import type { ChannelWrite } from '../asset/write/prepared-write.ts';
import type { RoundPlan } from '../asset/read/read-selection.ts';
import type { Clock } from '../../base/clock.ts';
import { isReadable } from '../../channel/channel.ts';
import type { Channel } from '../../channel/channel.ts';
import type { ChannelFailure, ChannelRecord } from '../../channel/channel-record.ts';
import { holds } from '../../security/identity/asset-rights.ts';
import type { AssetRights, ChannelSet } from '../../security/identity/asset-rights.ts';
import type { GrantOperation } from '../../security/identity/grant.ts';
import { refuseChannel } from './channel-refusal.ts';
import { showTerms, redactCondition, redactCurrentValue } from './redact-write-record.ts';
import type { MayRead, ShownTerms } from './redact-write-record.ts';
import { GrantedListener } from './granted-listener.ts';
import type { GrantedListenRequest } from './granted-listener.ts';

interface GrantedAssetOptions {
  /** Current rights of the caller. */
  readonly rights: AssetRights;
  /** Finds the rights of the caller at that moment; undefined if its identity was deleted. */
  readonly findRights: () => AssetRights | undefined;
  /** Client whose quota of the asset is used. */
  readonly requester: string;
  readonly mayRead: MayRead;
  readonly clock: Clock;
}

// No channel has an empty name. It replaces channels without a grant, so that these take as long as an
// unknown channel, fail in the same way and reach no device.
const UNKNOWN_NAME = '';
const NOTHING: ChannelSet = new Set();

const WITHHELD: ChannelFailure = {
  code: 'WRITE_ANSWER_WITHHELD',
  message:
    'the first response contains channels that this identity is no longer allowed to access; outcome unknown',
};

/** An asset restricted to the rights of one caller: channels without a grant fail in the records, as unknown channels do. */
export class GrantedAsset {
  /** The underlying asset. Its own methods perform no permission checks. */
  readonly asset: Asset;
  readonly #options: GrantedAssetOptions;

  constructor(asset: Asset, options: GrantedAssetOptions) {
    this.asset = asset;
    this.#options = options;
  }

  /** Lists the channels that the caller may read or write, in configuration order. */
  listChannels(): readonly Channel[] {
    const { readable, writable } = this.#options.rights;
    return this.#channels.filter(({ name }) => holds(readable, name) || holds(writable, name));
  }

  /** Returns the terms of writes of a channel, without the conditions on channels that the caller may not read. */
  termsOf({ write }: Channel): ShownTerms | undefined {
    return write && showTerms(write, this.asset.config.pid, this.#options.mayRead);
  }

  /** Lists the channels that the caller may read, in configuration order. */
  listReadable(): readonly Channel[] {
    return this.#channels.filter(({ name }) => holds(this.#readable, name));
  }

  /** Lists the channels that the caller may write, in configuration order. */
  listWritable(): readonly Channel[] {
    return this.#channels.filter(({ name }) => holds(this.#options.rights.writable, name));
  }

  /** Returns the names that the caller may read, each once; of all channels without any given. Unknown names stay. */
  chooseReadable(names?: readonly string[]): readonly string[] {
    const asked = names ?? this.#channels.map(({ name }) => name);
    return [...new Set(asked)].filter((name) => holds(this.#readable, name));
  }

  /** Returns true while the caller may still read channels. */
  mayStillRead(names: readonly string[]): boolean {
    const rights = this.#options.findRights();
    return rights !== undefined && names.every((name) => holds(rights.readable, name));
  }

  /** Lists failing channels that the caller may read; otherwise as `Asset.listFailing`. */
  listFailing(): readonly FailingChannel[] {
    return this.asset.listFailing().filter(({ name }) => holds(this.#readable, name));
  }

  /** Reads every enabled, readable channel that the caller may read; otherwise as `Asset.readAll`. */
  readAll(maxAgeMs = 0): Promise<AssetReading> {
    const { requester } = this.#options;
    if (this.#readable === 'ALL') return this.asset.readAll(maxAgeMs, requester);
    return this.asset.read(this.#listRead(), maxAgeMs, requester);
  }

  /** Reads the named channels, each once, in the order of their first mention; otherwise as `Asset.read`. */
  async read(names: readonly string[], maxAgeMs = 0): Promise<AssetReading> {
    const { requester } = this.#options;
    const wanted = [...new Set(names)];
    const reading = await this.asset.read(this.#replaceRefused(wanted), maxAgeMs, requester);
    return { ...reading, records: this.#restore(wanted, reading.records) };
  }

  /**
   * Writes in the order given, one record per write; otherwise as `Asset.write`. For a channel that the caller may not read, no
   * value is compared or shown; for a condition on such a channel, only that it is false.
   */
  async write(
    writes: readonly ChannelWrite[],
    options: AssetWriteOptions = {},
  ): Promise<readonly ChannelRecord[]> {
    const { requester, findRights } = this.#options;
    const sent = writes.map((write) =>
      this.#mayWrite(write)
        ? { ...write, findCancellation: () => this.#findCancellation(write) }
        : { ...write, name: UNKNOWN_NAME },
    );
    const records = await this.asset.write(sent, requester, options);
    const readable = findRights()?.readable ?? NOTHING;
    return writes.flatMap((write, index) => {
      const { name } = write;
      const record = records[index];
      if (record === undefined) return [];
      if (this.#mayWrite(write)) {
        const shown = redactCondition(record, this.#options.mayRead);
        return holds(readable, name) ? shown : redactCurrentValue(shown);
      }
      const { timestampMs, asked } = record;
      const refusal = this.#refuse(name, holds(this.#options.rights.writable, name) ? 'READ' : 'WRITE');
      return { ...refusal, timestampMs, asked, outcome: 'NOT_SENT' as const };
    });
  }

  /**
   * Returns the replacement for the records of an earlier write if the caller is no longer allowed to see all of them;
   * undefined if it is.
   *
   * @param earlier flags for records with values that were read back or with conditions; and the current time
   */
  withhold(
    writes: readonly ChannelWrite[],
    earlier: { readonly showsReadBack: boolean; readonly showsConditions: boolean; readonly nowMs: number },
  ): readonly ChannelRecord[] | undefined {
    const { showsReadBack, showsConditions, nowMs: timestampMs } = earlier;
    const mayHave = (write: ChannelWrite): boolean =>
      this.#mayWrite(write) &&
      (!showsReadBack || holds(this.#readable, write.name)) &&
      (!showsConditions || !this.#hasHiddenConditions(write.name));
    if (writes.every(mayHave)) return undefined;
    return writes.map((write) => {
      const { name, valueType, value } = write;
      const refusal = this.#mayWrite(write) ? { name, failure: WITHHELD } : this.#refuse(name, 'WRITE');
      return { ...refusal, timestampMs, asked: { valueType, value }, outcome: 'UNKNOWN' as const };
    });
  }

  /**
   * Returns records as stored in the audit: for a hidden channel, the reason of its refusal, and for a hidden
   * condition, the reason that it is false.
   */
  reveal(records: readonly ChannelRecord[]): readonly ChannelRecord[] {
    return records.map((record) => {
      const { failure, name, timestampMs, asked, hiddenFailure } = record;
      if (failure !== undefined && hiddenFailure !== undefined) return { ...record, failure: hiddenFailure };
      if (failure?.code !== 'CHANNEL_UNKNOWN') return record;
      if (this.asset.findChannel(name) === undefined) return record;
      const refused = { ...failure, code: 'CHANNEL_NOT_GRANTED' } as const;
      return { name, failure: refused, timestampMs, asked, outcome: 'NOT_SENT' as const };
    });
  }

  /** Returns the requests that a read sends to the device; otherwise as `Asset.describeRead`. */
  describeRead(names?: readonly string[]): RoundPlan {
    if (this.#readable === 'ALL') return this.asset.describeRead(names);
    if (names === undefined) {
      const { refused } = this.asset.describeRead();
      const shown = refused.filter(({ name }) => holds(this.#readable, name));
      return { ...this.asset.describeRead(this.#listRead()), refused: shown };
    }
    const wanted = [...new Set(names)];
    const { requests, refused } = this.asset.describeRead(this.#replaceRefused(wanted));
    const reasons = new Map(refused.map((slot) => [slot.name, slot]));
    return {
      requests,
      refused: wanted.flatMap((name) =>
        holds(this.#readable, name) ? (reasons.get(name) ?? []) : this.#refuse(name, 'READ'),
      ),
    };
  }

  /** Reads the bytes of a channel and ranks their interpretations; otherwise as `decodeChannel`. */
  async decode(
    name: string,
    expected?: ExpectedValue,
  ): Promise<Decoding | { readonly failure: ChannelFailure }> {
    if (holds(this.#readable, name)) return decodeChannel(this.asset, name, expected);
    await decodeChannel(this.asset, UNKNOWN_NAME, expected);
    return { failure: this.#refuse(name, 'READ').failure };
  }

  /** Subscribes the caller to channels while it may read them. */
  listen(request: GrantedListenRequest): GrantedListener {
    const { rights, findRights, clock } = this.#options;
    const listener = new GrantedListener({ asset: this.asset, request, rights, findRights, clock });
    listener.start();
    return listener;
  }

  #mayWrite({ name, ifValue }: ChannelWrite, rights = this.#options.rights): boolean {
    const { readable, writable } = rights;
    return holds(writable, name) && (ifValue === undefined || holds(readable, name));
  }

  // The caller has already seen the channel, and must be notified that its grant has ended.
  #findCancellation(write: ChannelWrite): ChannelFailure | undefined {
    const rights = this.#options.findRights();
    if (rights !== undefined && this.#mayWrite(write, rights)) return undefined;
    const message = `this identity is no longer allowed to write channel "${write.name}"; not sent`;
    return { code: 'CHANNEL_NOT_GRANTED', message };
  }

  #hasHiddenConditions(name: string): boolean {
    const channel = this.asset.findChannel(name);
    return channel !== undefined && this.termsOf(channel)?.hiddenConditions !== undefined;
  }

  get #channels(): readonly Channel[] {
    return this.asset.config.channels;
  }

  get #readable(): ChannelSet {
    return this.#options.rights.readable;
  }

  #listRead(): readonly string[] {
    return this.listReadable()
      .filter((channel) => channel.isEnabled && isReadable(channel))
      .map(({ name }) => name);
  }

  #replaceRefused(names: readonly string[]): readonly string[] {
    const readable = this.#readable;
    return readable === 'ALL' ? names : names.map((name) => (readable.has(name) ? name : UNKNOWN_NAME));
  }

  /** Returns the records in the order of the names, including those of refused channels. */
  #restore(names: readonly string[], records: readonly ChannelRecord[]): readonly ChannelRecord[] {
    const readable = this.#readable;
    // The very same records share their text.
    if (readable === 'ALL' || names.every((name) => readable.has(name))) return records;
    const byName = new Map(records.map((record) => [record.name, record]));
    return names.flatMap((name) => {
      const record = byName.get(readable.has(name) ? name : UNKNOWN_NAME);
      if (record === undefined || record.name !== UNKNOWN_NAME) return record ?? [];
      return { ...this.#refuse(name, 'READ'), timestampMs: record.timestampMs };
    });
  }

  #refuse(name: string, operation: GrantOperation): ReturnType<typeof refuseChannel> {
    const channel = this.asset.findChannel(name);
    return refuseChannel({ name, channel }, this.#options.rights, operation);
  }
}
