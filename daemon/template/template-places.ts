import path from 'node:path';

/** Where the gateway has its own templates: those of its sources, when it runs from there, and those of its package. */
export const SHIPPED_TEMPLATES: readonly string[] = [
  path.resolve(import.meta.dirname, '../../packaging/templates'),
  '/usr/share/penstock/templates',
];
