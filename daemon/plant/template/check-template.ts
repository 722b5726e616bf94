import { createHintingCheck } from '../../base/key/key-hint.ts';
import { formatPath } from '../../base/schema.ts';
import { createChannelSchema } from '../../channel/channel.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import type { ExpandedChannel } from './expand-template.ts';
import type { LoadedTemplates } from './loaded-templates.ts';
import type { Template } from './template.ts';
import { chooseParameters } from './template-parameters.ts';

/** What a check of a template has found. */
interface TemplateCheck {
  /** Each names the place in the template; empty when there are none. */
  readonly faults: readonly string[];
  /** The channels of a device whose parameters are the defaults; empty when there are faults. */
  readonly channels: readonly ExpandedChannel[];
  /** Whether the driver is known here, so that addresses were checked as well. */
  readonly isDriverKnown: boolean;
}

// More help no author.
const MAXIMUM_FAULTS = 50;

/**
 * Checks the channels of a template with its default parameters, and with each number at its bounds.
 *
 * @param factories every kind of driver that is known
 * @param loaded holds the template and those that it takes over
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
  return channels.flatMap(({ channel, place }) => {
    const name = channel['name'];
    const isRepeat = names.has(name);
    names.add(name);
    const { value, faults } = checkRecord?.(channel) ?? {};
    const all = faults ?? (value === undefined ? [] : (factory?.checkChannel(value) ?? []));
    return [
      ...(isRepeat ? [`${place}.name: "${String(name)}" is used twice`] : []),
      ...all.map((fault) => `${place}.${formatPath(fault.path)}: ${fault.message}`),
    ];
  });
}
