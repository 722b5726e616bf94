import { listTemplates, readTemplate } from '../interface/templates.ts';
import type { TemplateList } from '../interface/templates.ts';
import { createClientVerb } from './client-verb.ts';
import { formatTable } from './table.ts';
import { checkFile } from './template-check.ts';
import { formatTemplate } from './template-show.ts';

/** Shows the device templates of a gateway, and checks those that somebody writes. */
export const template = createClientVerb('template', 'shows and checks device templates', {
  list: {
    parameters: '',
    summary: 'lists the templates that assets may have',
    run: async ({ client, show }) => {
      show(await client.call(listTemplates), formatListing);
    },
  },
  show: {
    parameters: 'NAME',
    names: ['template'],
    summary: 'shows the parameters and channels of a template',
    run: async ({ client, words: [name = ''], show }) => {
      show(await client.call(readTemplate, { name }), formatTemplate);
    },
  },
  check: {
    parameters: 'FILE [FILE...]',
    names: ['file'],
    summary: 'checks template files without a gateway',
    runHere: checkFile,
  },
  schema: {
    parameters: '',
    summary: 'prints the JSON Schema of template files, for editors',
    runHere: async ({ terminal }) => {
      const { describeTemplateFile } = await import('../template/template-schema.ts');
      terminal.print(`${JSON.stringify(describeTemplateFile(), null, 2)}\n`);
    },
  },
});

function formatListing({ templates, unusable }: TemplateList): string {
  const table = formatTable<TemplateList['templates'][number]>(
    [
      { title: 'TEMPLATE', show: ({ name }) => name },
      { title: 'DRIVER', show: ({ driver }) => driver },
      { title: 'TITLE', show: ({ title }) => title },
    ],
    templates,
  );
  if (unusable.length === 0) return table;
  const files = formatTable<TemplateList['unusable'][number]>(
    [
      { title: 'UNUSABLE FILE', show: ({ file }) => file },
      { title: 'REASON', show: ({ faults }) => faults.join('; ') },
    ],
    unusable,
  );
  return `${table}\n${files}`;
}
