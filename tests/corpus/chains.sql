-- Chains that are there twice, that no sample has, of another depth: none in a database.
SELECT (SELECT count(*) - count(DISTINCT frames) FROM callchain) || ' ' ||
	(SELECT count(*) FROM callchain WHERE callchain_id NOT IN (SELECT callchain_id FROM sample)) || ' ' ||
	(SELECT count(*) FROM callchain WHERE depth <> json_array_length(frames));
