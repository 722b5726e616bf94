import { createClientVerb } from './client-verb.ts';
import { formatTable } from './table.ts';
import { checkFile } from './template-check.ts';
import { formatTemplate } from './template-show.ts';
import type { ShownTemplate } from './template-show.ts';

const ROOT = '/services/configuration/v1/templates';

interface TemplateListing {
  readonly templates: readonly Pick<ShownTemplate, 'name' | 'title' | 'driver'>[];
  readonly unusable: readonly { readonly file: string; readonly faults: readonly string[] }[];
}

/** Shows the device templates of a gateway, and checks those that somebody writes. */
export const template = createClientVerb('template', 'shows and checks device templates', {
  list: {
    parameters: '',
    summary: 'lists the templates that assets may have',
    run: async ({ client, show }) => {
      const { body } = await client.send('GET', ROOT);
      show(body as TemplateListing, formatListing);
    },
  },
  show: {
    parameters: 'NAME',
    names: ['template'],
    summary: 'shows the parameters and channels of a template',
    run: async ({ client, words: [name = ''], show }) => {
      const { body } = await client.send('GET', `${ROOT}/${encodeURIComponent(name)}`);
      show(body as ShownTemplate, formatTemplate);
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

function formatListing({ templates, unusable }: TemplateListing): string {
  const table = formatTable<TemplateListing['templates'][number]>(
    [
      { title: 'TEMPLATE', show: ({ name }) => name },
      { title: 'DRIVER', show: ({ driver }) => driver },
      { title: 'TITLE', show: ({ title }) => title },
    ],
    templates,
  );
  if (unusable.length === 0) return table;
  const files = formatTable<TemplateListing['unusable'][number]>(
    [
      { title: 'UNUSABLE FILE', show: ({ file }) => file },
      { title: 'REASON', show: ({ faults }) => faults.join('; ') },
    ],
    unusable,
  );
  return `${table}\n${files}`;
}
