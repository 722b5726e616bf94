import { z } from '../../base/schema.ts';
import { createChannelSchema } from '../../channel/channel.ts';
import { EDITOR_DIALECT } from '../../settings/editor-schema.ts';
import {
  countedRepeatSchema,
  groupSchema,
  includeSchema,
  listedRepeatSchema,
  MAXIMUM_CHANNELS,
  outlineSchema,
} from './template-outline.ts';

/** A JSON Schema, or a part of one. */
type JsonSchema = Readonly<Record<string, unknown>>;

const ITEMS = {
  type: 'array',
  minItems: 1,
  maxItems: MAXIMUM_CHANNELS,
  items: { $ref: '#/definitions/item' },
};

/** Returns the JSON Schema (draft-07) of template files, for editors; values of parameters are not checked. */
export function describeTemplateFile(): JsonSchema {
  const outline = describe(outlineSchema);
  const group = describe(groupSchema);
  const repeat = { anyOf: [describe(countedRepeatSchema), describe(listedRepeatSchema)] };
  return {
    $schema: EDITOR_DIALECT,
    title: 'Device template',
    ...outline,
    properties: { ...propertiesOf(outline), channels: ITEMS },
    definitions: {
      item: { anyOf: [describeChannel(), { $ref: '#/definitions/group' }, describe(includeSchema)] },
      group: { ...group, properties: { ...propertiesOf(group), repeat, channels: ITEMS } },
    },
  };
}

/** Any field may be a text with parameters instead of its value. */
function describeChannel(): JsonSchema {
  const channel = describe(createChannelSchema(z.record(z.string(), z.unknown())));
  const text = { type: 'string', pattern: '[$]|^=' };
  const fields = Object.entries(propertiesOf(channel)).map(([name, field]) => {
    const { description, ...rest } = field as JsonSchema;
    return [name, { description, anyOf: [rest, text] }] as const;
  });
  return { ...channel, properties: Object.fromEntries(fields) };
}

function propertiesOf({ properties = {} }: JsonSchema): JsonSchema {
  return properties as JsonSchema;
}

function describe(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...description } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
  });
  return description;
}
