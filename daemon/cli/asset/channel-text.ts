import type { ChannelRecord } from '../../interface/plant/assets.ts';
import { formatTable } from '../terminal/table.ts';

type WriteTerms = NonNullable<ChannelRecord['write']>;
type WriteCondition = NonNullable<WriteTerms['onlyIf']>[number];

/** Formats the channels of an asset as a table, followed by a table of their write terms. */
export function formatChannels(channels: readonly ChannelRecord[]): string {
  const table = formatTable(
    [
      { title: 'NAME', show: ({ name }) => name },
      { title: 'DIRECTION', show: ({ type }) => type },
      { title: 'TYPE', show: ({ valueType }) => valueType },
      { title: 'SCALE', show: formatScale },
      { title: 'OFFSET', show: ({ valueOffset }) => valueOffset },
      {
        title: 'ARITHMETIC',
        show: ({ scaleOffsetType }) => (scaleOffsetType === 'DEFINED_BY_VALUE_TYPE' ? '' : scaleOffsetType),
        isOptional: true,
      },
      { title: 'UNIT', show: ({ unit }) => unit },
      { title: 'ENABLED', show: ({ isEnabled }) => (isEnabled ? 'yes' : 'no') },
      {
        title: 'DEVICE PERMITS',
        show: ({ deviceAccess = '' }) => deviceAccess,
        isOptional: true,
        tone: ({ type, deviceAccess }) => (isDenied(type, deviceAccess) ? 'BAD' : undefined),
      },
      { title: 'LABELS', show: ({ labels = {} }) => describeLabels(labels), isOptional: true },
      { title: 'DISPLAY NAME', show: ({ displayName = '' }) => displayName, isOptional: true },
      { title: 'DESCRIPTION', show: ({ description = '' }) => description, isOptional: true },
    ],
    channels,
  );
  const terms = formatTerms(channels);
  return terms === '' ? table : `${table}\n${terms}`;
}

function formatScale({ valueScale, scaleFrom }: ChannelRecord): string | number {
  if (scaleFrom === undefined) return valueScale;
  const { channel = 'its own register', kind } = scaleFrom;
  const dynamic = kind === 'FACTOR' ? `from ${channel}` : `10^ from ${channel}`;
  return valueScale === 1 ? dynamic : `${valueScale}, ${dynamic}`;
}

function describeLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([value, label]) => `${value} ${label}`)
    .join(', ');
}

function isDenied(type: ChannelRecord['type'], access: ChannelRecord['deviceAccess']): boolean {
  return access !== undefined && access !== 'READ_WRITE' && access !== type;
}

function formatTerms(channels: readonly ChannelRecord[]): string {
  const written = channels.flatMap(({ name, unit, write }) =>
    write === undefined ? [] : [{ name, unit: unit === undefined ? '' : ` ${unit}`, write }],
  );
  if (written.length === 0) return '';
  return formatTable(
    [
      { title: 'WRITES TO', show: ({ name }) => name },
      { title: 'LIMITS', show: ({ write, unit }) => describeLimits(write, unit), isOptional: true },
      { title: 'CHANGE', show: ({ write, unit }) => describeChange(write, unit), isOptional: true },
      { title: 'READ BACK', show: ({ write, unit }) => describeReadBack(write, unit), isOptional: true },
      { title: 'ONLY IF', show: ({ write }) => describeConditions(write), isOptional: true },
    ],
    written,
  );
}

function describeLimits({ minimum, maximum }: WriteTerms, unit: string): string {
  if (minimum === undefined) return maximum === undefined ? '' : `at most ${maximum}${unit}`;
  return maximum === undefined ? `at least ${minimum}${unit}` : `${minimum} to ${maximum}${unit}`;
}

function describeChange({ maximumStep, maximumChangePerSecond }: WriteTerms, unit: string): string {
  return [
    ...(maximumStep === undefined ? [] : [`at most ${maximumStep}${unit}`]),
    ...(maximumChangePerSecond === undefined ? [] : [`at most ${maximumChangePerSecond}${unit} per second`]),
  ].join('; ');
}

function describeReadBack({ verify }: WriteTerms, unit: string): string {
  if (verify === undefined) return '';
  const { tolerance, withinMs } = verify;
  return `within ${withinMs} ms${tolerance === 0 ? '' : `, at most ${tolerance}${unit} off`}`;
}

function describeConditions({ onlyIf = [], hiddenConditions = 0 }: WriteTerms): string {
  const hidden = `${hiddenConditions} more on channels that you may not read`;
  return [...onlyIf.map(describeCondition), ...(hiddenConditions === 0 ? [] : [hidden])].join('; ');
}

function describeCondition({ asset, channel, operator, value, maximumAgeMs }: WriteCondition): string {
  const place = asset === undefined ? channel : `${asset}/${channel}`;
  const age = maximumAgeMs === undefined ? '' : `, at most ${maximumAgeMs} ms old`;
  return `${place} ${operator.toLowerCase().replaceAll('_', ' ')} ${JSON.stringify(value)}${age}`;
}
