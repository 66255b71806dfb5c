/**
 * Loaded first by `npm run test:long`: models run ten times as often as in `npm test`. The models are listed in
 * package.json.
 */
process.env.LONG = '1'
