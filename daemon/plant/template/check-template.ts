import { createHintingCheck } from '../../base/key/key-hint.ts';
import { createFault, createReason, prefixFault } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import type { Fault } from '../../base/schema.ts';
import { createChannelSchema } from '../../channel/channel.ts';
import type { Channel } from '../../channel/channel.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import { resolveNotAvailable } from '../../channel/unavailable/resolve-not-available.ts';
import { resolveScales } from '../../channel/scale/resolve-scales.ts';
import type { PlacedChannel } from '../../channel/scale/resolve-scales.ts';
import { explainPlace } from './expand-template.ts';
import type { ExpandedChannel, TemplatePlace } from './expand-template.ts';
import type { LoadedTemplates } from './loaded-templates.ts';
import type { Template } from './template.ts';
import { chooseParameters } from './template-parameters.ts';

/** Result of a template check. */
interface TemplateCheck {
  /** Each names its location in the template; empty if none. */
  readonly faults: readonly string[];
  /** Channels of a device with default parameters; empty if there are errors. */
  readonly channels: readonly ExpandedChannel[];
  /** True if the driver is known, so that addresses were checked as well. */
  readonly isDriverKnown: boolean;
}

// More do not help an author.
const MAXIMUM_FAULTS = 50;

/**
 * Checks the channels of a template with its default parameters, and with each number at its bounds.
 *
 * @param factories all known driver types
 * @param loaded contains the template and those that it includes
 */
export function checkTemplate(
  template: Template,
  loaded: Pick<LoadedTemplates, 'expand'>,
  factories: readonly DriverFactory[],
): TemplateCheck {
  const factory = factories.find(({ type }) => type === template.driver);
  const faults = new Set<string>();
  let usual: readonly ExpandedChannel[] = [];
  for (const choice of ['DEFAULT', 'MINIMUM', 'MAXIMUM'] as const) {
    const expanded = loaded.expand(template.name, chooseParameters(template, choice));
    for (const { message } of expanded.faults ?? []) faults.add(message);
    const channels = expanded.value ?? [];
    for (const fault of checkChannels(channels, factory)) faults.add(fault);
    if (choice === 'DEFAULT') usual = channels;
  }
  const isGood = faults.size === 0;
  return {
    faults: [...faults].slice(0, MAXIMUM_FAULTS),
    channels: isGood ? usual : [],
    isDriverKnown: factory !== undefined,
  };
}

function checkChannels(
  channels: readonly ExpandedChannel[],
  factory: DriverFactory | undefined,
): readonly string[] {
  const names = new Set<unknown>();
  const checkRecord = factory && createHintingCheck(createChannelSchema(factory.addressSchema));
  const placed: PlacedChannel[] = [];
  const found = channels.flatMap(({ channel, place }, index) => {
    const name = channel['name'];
    const isRepeat = names.has(name);
    const repeated = createFault(['name'], createReason(BASE_FAULTS, 'USED_TWICE', { name: String(name) }));
    names.add(name);
    const { value, faults } = checkRecord?.(channel) ?? {};
    if (value !== undefined) placed.push({ index, channel: value });
    const all = faults ?? (value === undefined || factory === undefined ? [] : checkWhole(value, factory));
    return [
      ...(isRepeat ? [describeFault(place, repeated)] : []),
      ...all.map((fault) => describeFault(place, fault)),
    ];
  });
  if (factory === undefined) return found;
  const scales = resolveScales(placed, (channel) => factory.checkChannel(channel));
  return [
    ...found,
    ...scales.faults.flatMap(({ path: [index, ...path], message }) => {
      const { place } = channels[Number(index)] ?? {};
      return place === undefined ? [] : [describeFault(place, { path, message })];
    }),
  ];
}

function describeFault({ template, path }: TemplatePlace, fault: Fault): string {
  return prefixFault(fault, explainPlace({ template, path: [...path, ...fault.path] })).message;
}

function checkWhole(channel: Channel, factory: DriverFactory): readonly Fault[] {
  return [...resolveNotAvailable(channel, factory).faults, ...factory.checkChannel(channel)];
}
