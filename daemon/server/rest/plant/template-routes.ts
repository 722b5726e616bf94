import { ok } from '../../http/answer.ts';
import { showReasons } from '../../http/problem.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import { listTemplates, readTemplate } from '../../../interface/plant/templates.ts';
import type { Template } from '../../../plant/template/template.ts';
import type { TemplateLibrary } from '../../../plant/template/template-library.ts';
import { chooseParameters } from '../../../plant/template/template-parameters.ts';

/** Creates the endpoints that show the device templates. */
export function createTemplateRoutes(library: Pick<TemplateLibrary, 'list' | 'get'>): readonly Route[] {
  return [
    implement(listTemplates, async () => {
      const { templates, unusable } = await library.list();
      return ok({
        templates: templates.map(toHead),
        unusable: unusable.map(({ file, faults }) => ({
          file,
          faults: faults.map(({ message }) => message),
          details: faults.map(showReasons),
        })),
      });
    }),
    implement(readTemplate, async ({ parameters: { name } }) => {
      const { template, loaded } = await library.get(name);
      const { value = [], faults } = loaded.expand(name, chooseParameters(template, 'DEFAULT'));
      return ok({
        ...toHead(template),
        channels: value.map(({ channel }) => channel),
        faults: faults?.map(({ message }) => message),
      });
    }),
  ];
}

function toHead({
  items: _items,
  describes,
  ...head
}: Template): ResultOf<typeof listTemplates>['templates'][number] {
  return describes === undefined ? head : { ...head, describes: [describes].flat().join(', ') };
}
