import type { Draft } from '../../src/lib/output/elements'
import type { Plan } from '../../src/lib/output/plan'

/** Messages of a plan as they are made, without the rests between. */
export function* draftsOf({ drafts }: Plan): Generator<Draft> {
  for (const draft of drafts) if (draft) yield draft
}
