import { createFault, createReason, placeFault } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { formatPath } from '../../base/schema.ts';
import type { Checked, Fault } from '../../base/schema.ts';
import { finish } from '../../base/slices.ts';
import type { Slices } from '../../base/slices.ts';
import type { Channel } from '../../channel/channel.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import { resolveNotAvailable } from '../../channel/unavailable/resolve-not-available.ts';
import { resolveScales } from '../../channel/scale/resolve-scales.ts';
import type { PlacedChannel } from '../../channel/scale/resolve-scales.ts';
import { checkReadable } from './unreadable-secrets.ts';

/** Errors of a document. */
export interface Findings {
  readonly faults: Fault[];
}

/** Checks a part of a document. */
export type Check<T> = (value: unknown) => Checked<T>;

/** Channel checks of one driver type. */
export interface ChannelKind {
  readonly factory: Pick<DriverFactory, 'checkChannel' | 'rawNumberOf'>;
  readonly checkChannel: Check<Channel>;
}

/** Maximum number of listed errors: more help no reader, and would take many times the memory of the document. */
export const MAXIMUM_FAULTS = 1000;

// A slice of less is not worth a look at the clock.
const CHANNELS_OF_SLICE = 50;

/** Parses the channels of an asset and adds their errors to the findings. */
export function* checkChannels(
  findings: Findings,
  kind: ChannelKind,
  candidates: readonly unknown[],
  path: Fault['path'],
): Slices<readonly Channel[]> {
  const placed: PlacedChannel[] = [];
  const names = new Set<string>();
  for (const [index, candidate] of candidates.entries()) {
    if (isHopeless(findings)) break;
    if (index % CHANNELS_OF_SLICE === 0) yield;
    const channelPath = [...path, 'channels', index];
    const plain = kind.checkChannel(candidate);
    // Of 100,000 channels hardly one has a secret.
    const { checked, unreadable } =
      plain.faults === undefined
        ? { checked: plain, unreadable: [] }
        : checkReadable(kind.checkChannel, candidate);
    const right: Channel | undefined = take(findings, channelPath, () => checked, candidate);
    if (right === undefined) continue;
    // Without its secret it would be refused by the device.
    const readable = unreadable.length === 0 ? right : { ...right, isEnabled: false };
    const { channel, faults } = resolveNotAvailable(readable, kind.factory);
    placed.push({ index, channel });
    for (const fault of [...faults, ...kind.factory.checkChannel(channel)]) {
      findings.faults.push(placeFault(channelPath, fault));
    }
    if (names.has(channel.name)) {
      findings.faults.push(
        createFault(
          [...channelPath, 'name'],
          createReason(BASE_FAULTS, 'USED_TWICE', { name: channel.name }),
        ),
      );
    }
    names.add(channel.name);
  }
  const { channels, faults: scaleFaults } = resolveScales(placed, (channel) =>
    kind.factory.checkChannel(channel),
  );
  findings.faults.push(...scaleFaults.map((fault) => placeFault([...path, 'channels'], fault)));
  return channels;
}

/**
 * Parses channels of an asset that passed an earlier check.
 *
 * @throws {RangeError} if they are invalid, which requires a store written by another program
 */
export function readRightChannels(
  kind: ChannelKind,
  pid: string,
  candidates: readonly unknown[],
): readonly Channel[] {
  const findings: Findings = { faults: [] };
  const channels = finish(checkChannels(findings, kind, candidates, []));
  const [fault] = findings.faults;
  if (fault !== undefined) throw new RangeError(`asset ${pid}: ${formatPath(fault.path)}: ${fault.message}`);
  return channels;
}

/** Returns true if the maximum number of errors is reached. */
export function isHopeless({ faults }: Findings): boolean {
  return faults.length >= MAXIMUM_FAULTS;
}

/** Returns the checked value; undefined if it has errors, which are added to the findings. */
export function take<T>(
  findings: Findings,
  path: Fault['path'],
  check: Check<T>,
  value: unknown,
): T | undefined {
  const checked = check(value);
  if (checked.faults === undefined) return checked.value;
  findings.faults.push(...checked.faults.map((fault) => placeFault(path, fault)));
  return undefined;
}
