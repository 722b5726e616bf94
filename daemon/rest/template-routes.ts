import { z } from '../base/schema.ts';
import { ok } from '../http/answer.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import type { Template } from '../template/template.ts';
import type { TemplateLibrary } from '../template/template-library.ts';
import { PARAMETER_TYPES } from '../template/template-outline.ts';
import { chooseParameters } from '../template/usual-parameters.ts';
import { CONFIGURATION_ROOT } from './configuration-routes.ts';

const parameter = z
  .strictObject({
    type: z.enum(PARAMETER_TYPES),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    description: z.string(),
  })
  .meta({ id: 'TemplateParameter' });

const templateHead = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    manufacturer: z.string(),
    model: z.string(),
    source: z.string().describe('Document and revision that the addresses are from'),
    driver: z.string().describe('Kind of driver that serves the channels'),
    driverSettings: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .describe('Settings that the driver needs for the device'),
    describes: z.string().optional().describe('What scans recognize, such as SunSpec model 113'),
    parameters: z.record(z.string(), parameter),
  })
  .meta({ id: 'TemplateHead' });

const unusableTemplate = z
  .strictObject({ file: z.string(), faults: z.array(z.string()) })
  .meta({ id: 'UnusableTemplate' });

const templateList = z
  .strictObject({
    templates: z.array(templateHead),
    unusable: z.array(unusableTemplate).describe('Files that give no template'),
  })
  .meta({ id: 'TemplateList' });

const shownTemplate = z
  .strictObject({
    ...templateHead.shape,
    channels: z
      .array(z.record(z.string(), z.unknown()))
      .describe('Channels with the default parameters; one without default has its minimum'),
    faults: z.array(z.string()).optional().describe('Why there are no channels'),
  })
  .meta({ id: 'Template' });

/** Creates the endpoints that show the device templates. */
export function createTemplateRoutes(library: Pick<TemplateLibrary, 'list' | 'get'>): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${CONFIGURATION_ROOT}/templates`,
      summary: 'Lists the device templates',
      access: 'rest.configuration',
      response: { status: 200, schema: templateList },
      async handle() {
        const { templates, unusable } = await library.list();
        return ok({ templates: templates.map(toHead), unusable });
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${CONFIGURATION_ROOT}/templates/:name`,
      summary: 'Shows a device template',
      access: 'rest.configuration',
      response: { status: 200, schema: shownTemplate },
      async handle({ parameters: { name = '' } }) {
        const { template, loaded } = await library.get(name);
        const { value = [], faults } = loaded.expand(name, chooseParameters(template, 'DEFAULT'));
        return ok({
          ...toHead(template),
          channels: value.map(({ channel }) => channel),
          faults: faults?.map(({ message }) => message),
        });
      },
    }),
  ];
}

function toHead({ items: _items, ...head }: Template): z.infer<typeof templateHead> {
  return head;
}
