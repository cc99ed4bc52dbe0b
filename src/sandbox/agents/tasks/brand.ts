import { reads, request, SHARED, type TaskTable } from './task.ts';

const { text, brand } = SHARED;

/** Tasks of a brand agent (specification, 4.3). */
export const BRAND_TASKS: TaskTable = {
  get_brand_identity: reads(
    'Gives colours, logos and tone of a brand',
    request({ brand, brand_id: text }),
    (_input, { spec }) => ({
      name: spec.name,
      colors: { primary: '#1d3f5e', secondary: '#e8b33f' },
      logos: [{ url: `${new URL(spec.url).origin}/logo.svg`, usage: 'primary' }],
      tone: 'dry, warm, never loud',
      visual_guidelines: 'plenty of white, one colour at a time',
    }),
  ),
};
