import type { ChannelColumn } from '../../../daemon/console/forms/channels/channel-column.ts';

/** Creates a column of the channel grid; `name` is required, and numbers have no bounds unless `more` says so. */
export function createColumn(
  key: string,
  kind: ChannelColumn['kind'],
  more: Partial<ChannelColumn> = {},
): ChannelColumn {
  return {
    key,
    kind,
    choices: [],
    isRequired: key === 'name',
    minimum: -Infinity,
    maximum: Infinity,
    isInteger: false,
    schema: {},
    standard: '',
    ...more,
  };
}
