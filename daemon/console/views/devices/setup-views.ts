/** Sections that set devices up: one file, as they share the editor of channels and the way from a plan to its confirmation. */
export { AddView } from './add/address-step.tsx';
export { BrowseView } from './browse-view.tsx';
export { ChannelsView } from './channels-view.tsx';
export { SheetView } from './sheet-view.tsx';
export { TemplateView } from './template-view.tsx';
