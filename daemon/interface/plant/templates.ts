import { z } from '../../base/schema.ts';
import { codedFault } from '../failure.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';

/** Types of template parameters. */
export const PARAMETER_TYPES = ['integer', 'number', 'string', 'boolean'] as const;

const parameter = z
  .strictObject({
    type: z.enum(PARAMETER_TYPES),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    title: z.string().optional().describe('Name for a form; absent: its key'),
    description: z.string(),
  })
  .meta({ id: 'TemplateParameter' });

const settingValue = z.union([z.string(), z.number(), z.boolean()]);

const templateHead = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    manufacturer: z.string(),
    model: z.string(),
    source: z.string().describe('Source of the addresses: document and revision'),
    driver: z.string().describe('Driver type of the channels'),
    driverSettings: z
      .record(z.string(), z.union([settingValue, z.record(z.string(), settingValue)]))
      .optional()
      .describe('Driver settings that the device requires'),
    describes: z
      .string()
      .optional()
      .describe('Identification that scans recognize, such as SunSpec model 113'),
    parameters: z.record(z.string(), parameter),
  })
  .meta({ id: 'TemplateHead' });

const unusableTemplate = z
  .strictObject({
    file: z.string(),
    faults: z.array(z.string()),
    details: z.array(codedFault).optional().describe('The faults with their codes'),
  })
  .meta({ id: 'UnusableTemplate' });

const templateList = z
  .strictObject({
    templates: z.array(templateHead),
    unusable: z.array(unusableTemplate).describe('Files that are not valid templates'),
  })
  .meta({ id: 'TemplateList' });

const shownTemplate = z
  .strictObject({
    ...templateHead.shape,
    channels: z
      .array(z.record(z.string(), z.unknown()))
      .describe('Channels for the default parameters; a parameter without default has its minimum'),
    faults: z.array(z.string()).optional().describe('Reasons for missing channels'),
  })
  .meta({ id: 'Template' });

export type TemplateParameter = Shape<typeof parameter>;
export type TemplateHead = Shape<typeof templateHead>;
export type TemplateList = Shape<typeof templateList>;
export type Template = Shape<typeof shownTemplate>;

/** Lists templates. */
export const listTemplates = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/templates',
  summary: 'Lists the device templates',
  access: 'rest.configuration',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: templateList },
});

/** Shows a template. */
export const readTemplate = endpoint({
  method: 'GET',
  path: '/services/configuration/v1/templates/:name',
  summary: 'Shows a device template',
  access: 'rest.configuration',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: shownTemplate },
});
