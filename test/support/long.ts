/** Loaded first by `npm run test:long`: models run ten times as often as in `npm test`. Those are named in package.json. */
process.env.LONG = '1'
