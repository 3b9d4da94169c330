PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO message VALUES('msg_22e9c42c5001Lw5n20KKau3cMr','ses_dd163bd92ffe5ltJau7g9rJobv',1796078322373,1796078325523,'{"role":"user","time":{"created":1796078322373},"agent":"build","model":{"providerID":"stub","modelID":"stub-model"},"summary":{"diffs":[{"file":"__pycache__/calc.cpython-311.pyc","patch":"","additions":0,"deletions":0,"status":"added"},{"file":"calc.py","patch":"Index: calc.py\n===================================================================\n--- calc.py\t\n+++ calc.py\t\n@@ -1,2 +1,2 @@\n def total(items):\n-    return 0\n+    return sum(p*q for p, q in items)\n","additions":1,"deletions":1,"status":"modified"}]}}');
INSERT INTO message VALUES('msg_22e9c4682001ehTKwxot5yqCyE','ses_dd163bd92ffe5ltJau7g9rJobv',1796078323330,1796078324538,'{"parentID":"msg_22e9c42c5001Lw5n20KKau3cMr","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/shop","root":"/home/dev/work/shop"},"cost":0,"tokens":{"total":7747,"input":7698,"output":49,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"stub-model","providerID":"stub","time":{"created":1796078323330,"completed":1796078324536},"finish":"tool-calls"}');
INSERT INTO message VALUES('msg_22e9c4b3d001FNp8N9G2cPVJSA','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324541,1796078324836,'{"parentID":"msg_22e9c42c5001Lw5n20KKau3cMr","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/shop","root":"/home/dev/work/shop"},"cost":0,"tokens":{"total":7860,"input":7817,"output":43,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"stub-model","providerID":"stub","time":{"created":1796078324541,"completed":1796078324835},"finish":"tool-calls"}');
INSERT INTO message VALUES('msg_22e9c4c6c0018o1JYce7tYX9y3','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324844,1796078325398,'{"parentID":"msg_22e9c42c5001Lw5n20KKau3cMr","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/shop","root":"/home/dev/work/shop"},"cost":0,"tokens":{"total":7946,"input":7909,"output":37,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"stub-model","providerID":"stub","time":{"created":1796078324844,"completed":1796078325397},"finish":"tool-calls"}');
INSERT INTO message VALUES('msg_22e9c4e98001ajNb0T9NufKKh5','ses_dd163bd92ffe5ltJau7g9rJobv',1796078325400,1796078325594,'{"parentID":"msg_22e9c42c5001Lw5n20KKau3cMr","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/shop","root":"/home/dev/work/shop"},"cost":0,"tokens":{"total":8005,"input":7988,"output":17,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"stub-model","providerID":"stub","time":{"created":1796078325400,"completed":1796078325593},"finish":"stop"}');
INSERT INTO message VALUES('msg_22e9d6969001MoeLpMAmVOD5Fx','ses_dd163bd92ffe5ltJau7g9rJobv',1796078397801,1796078399589,'{"role":"user","time":{"created":1796078397801},"agent":"build","model":{"providerID":"stub","modelID":"stub-model"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES('msg_22e9d6c1a0015qCdmLOQVMmmJ9','ses_dd163bd92ffe5ltJau7g9rJobv',1796078398490,1796078399485,'{"parentID":"msg_22e9d6969001MoeLpMAmVOD5Fx","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/shop","root":"/home/dev/work/shop"},"cost":0,"tokens":{"total":8054,"input":8021,"output":33,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"stub-model","providerID":"stub","time":{"created":1796078398490,"completed":1796078399484},"finish":"tool-calls"}');
INSERT INTO message VALUES('msg_22e9d6eff0017JvuClEXjPnj7I','ses_dd162910bffe8kWXbRQkmTKAS1',1796078399232,1796078399574,'{"role":"user","time":{"created":1796078399232},"agent":"general","model":{"providerID":"stub","modelID":"stub-model"},"summary":{"diffs":[]}}');
INSERT INTO message VALUES('msg_22e9d6f19001ijeM1K14y8cYSt','ses_dd162910bffe8kWXbRQkmTKAS1',1796078399257,1796078399401,'{"parentID":"msg_22e9d6eff0017JvuClEXjPnj7I","role":"assistant","mode":"general","agent":"general","path":{"cwd":"/home/dev/work/shop","root":"/home/dev/work/shop"},"cost":0,"tokens":{"total":6737,"input":6729,"output":8,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"stub-model","providerID":"stub","time":{"created":1796078399257,"completed":1796078399399},"finish":"stop"}');
INSERT INTO message VALUES('msg_22e9d7000001O7P2bOSYV5wPXm','ses_dd163bd92ffe5ltJau7g9rJobv',1796078399488,1796078399642,'{"parentID":"msg_22e9d6969001MoeLpMAmVOD5Fx","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/dev/work/shop","root":"/home/dev/work/shop"},"cost":0,"tokens":{"total":8133,"input":8125,"output":8,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"stub-model","providerID":"stub","time":{"created":1796078399488,"completed":1796078399641},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO part VALUES('prt_22e9c42f1001qz9ujtfCZUqkGb','msg_22e9c42c5001Lw5n20KKau3cMr','ses_dd163bd92ffe5ltJau7g9rJobv',1796078323314,1796078323316,'{"type":"text","text":"\"test_total fails, please fix calc.py\""}');
INSERT INTO part VALUES('prt_22e9c4abe001Pw4eEQGl9okaW7','msg_22e9c4682001ehTKwxot5yqCyE','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324415,1796078324416,'{"snapshot":"1904525e82d6a6b82aa90cc49fdbffcd9f08fb20","type":"step-start"}');
INSERT INTO part VALUES('prt_22e9c4ac2001Ewcjbv7xcjC56H','msg_22e9c4682001ehTKwxot5yqCyE','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324419,1796078324423,'{"type":"reasoning","text":"total() returns 0.","time":{"start":1796078324418,"end":1796078324422}}');
INSERT INTO part VALUES('prt_22e9c4ac9001nqFy3gmu95MgzI','msg_22e9c4682001ehTKwxot5yqCyE','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324425,1796078324443,'{"type":"text","text":"I''ll look at calc.py first.","time":{"start":1796078324425,"end":1796078324442}}');
INSERT INTO part VALUES('prt_22e9c4acd001hR8XADMUaPxr7f','msg_22e9c4682001ehTKwxot5yqCyE','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324429,1796078324467,'{"type":"tool","tool":"read","callID":"call_fe9d1bc75ede465b","state":{"status":"completed","input":{"filePath":"/home/dev/work/shop/calc.py"},"output":"<path>/home/dev/work/shop/calc.py</path>\n<type>file</type>\n<content>\n1: def total(items):\n2:     return 0\n\n(End of file - total 2 lines)\n</content>","metadata":{"preview":"def total(items):\n    return 0","truncated":false,"loaded":[],"display":{"type":"file","path":"/home/dev/work/shop/calc.py","text":"def total(items):\n    return 0","lineStart":1,"lineEnd":2,"totalLines":2,"truncated":false}},"title":"calc.py","time":{"start":1796078324439,"end":1796078324465}}}');
INSERT INTO part VALUES('prt_22e9c4b15001p5m52zJP61U0ky','msg_22e9c4682001ehTKwxot5yqCyE','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324501,1796078324503,'{"reason":"tool-calls","snapshot":"1904525e82d6a6b82aa90cc49fdbffcd9f08fb20","type":"step-finish","tokens":{"total":7747,"input":7698,"output":49,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES('prt_22e9c4bad0011urFOgCuDYH1QR','msg_22e9c4b3d001FNp8N9G2cPVJSA','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324653,1796078324655,'{"snapshot":"1904525e82d6a6b82aa90cc49fdbffcd9f08fb20","type":"step-start"}');
INSERT INTO part VALUES('prt_22e9c4bb0001OSMZsHh86VM89w','msg_22e9c4b3d001FNp8N9G2cPVJSA','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324656,1796078324699,'{"type":"tool","tool":"edit","callID":"call_c54d02810fc1444b","state":{"status":"completed","input":{"filePath":"/home/dev/work/shop/calc.py","oldString":"    return 0","newString":"    return sum(p*q for p, q in items)"},"output":"Edit applied successfully.","metadata":{"diagnostics":{},"diff":"Index: /home/dev/work/shop/calc.py\n===================================================================\n--- /home/dev/work/shop/calc.py\n+++ /home/dev/work/shop/calc.py\n@@ -1,2 +1,2 @@\n def total(items):\n-    return 0\n+    return sum(p*q for p, q in items)\n","filediff":{"file":"/home/dev/work/shop/calc.py","patch":"Index: /home/dev/work/shop/calc.py\n===================================================================\n--- /home/dev/work/shop/calc.py\n+++ /home/dev/work/shop/calc.py\n@@ -1,2 +1,2 @@\n def total(items):\n-    return 0\n+    return sum(p*q for p, q in items)\n","additions":1,"deletions":1},"truncated":false},"title":"calc.py","time":{"start":1796078324663,"end":1796078324698}}}');
INSERT INTO part VALUES('prt_22e9c4c24001PpvBSEnol1PbyB','msg_22e9c4b3d001FNp8N9G2cPVJSA','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324772,1796078324774,'{"reason":"tool-calls","snapshot":"480e440054ca6d739ff425f5b04efbc500ef066f","type":"step-finish","tokens":{"total":7860,"input":7817,"output":43,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES('prt_22e9c4c5f001t2XpY7Ki6M54rb','msg_22e9c4b3d001FNp8N9G2cPVJSA','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324832,1796078324833,'{"type":"patch","hash":"1904525e82d6a6b82aa90cc49fdbffcd9f08fb20","files":["/home/dev/work/shop/calc.py"]}');
INSERT INTO part VALUES('prt_22e9c4cea001lmviE8fMj2souD','msg_22e9c4c6c0018o1JYce7tYX9y3','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324970,1796078324972,'{"snapshot":"480e440054ca6d739ff425f5b04efbc500ef066f","type":"step-start"}');
INSERT INTO part VALUES('prt_22e9c4cee0014fAoF7hYRroVsF','msg_22e9c4c6c0018o1JYce7tYX9y3','ses_dd163bd92ffe5ltJau7g9rJobv',1796078324974,1796078325218,'{"type":"tool","tool":"bash","callID":"call_e04b0af705444d14","state":{"status":"completed","input":{"command":"python3 -c ''from calc import total; print(total([(2,3)]))''; exit 3","description":"run"},"output":"6\n","metadata":{"output":"6\n","exit":3,"truncated":false},"title":"python3 -c ''from calc import total; print(total([(2,3)]))''; exit 3","time":{"start":1796078324981,"end":1796078325213}}}');
INSERT INTO part VALUES('prt_22e9c4e65001Le4dB3obhFwP6j','msg_22e9c4c6c0018o1JYce7tYX9y3','ses_dd163bd92ffe5ltJau7g9rJobv',1796078325349,1796078325350,'{"reason":"tool-calls","snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-finish","tokens":{"total":7946,"input":7909,"output":37,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES('prt_22e9c4e92001DJ1q7cjpQfjgma','msg_22e9c4c6c0018o1JYce7tYX9y3','ses_dd163bd92ffe5ltJau7g9rJobv',1796078325394,1796078325395,'{"type":"patch","hash":"480e440054ca6d739ff425f5b04efbc500ef066f","files":["/home/dev/work/shop/__pycache__/calc.cpython-311.pyc"]}');
INSERT INTO part VALUES('prt_22e9c4ef000164sEVJGAqdX7gB','msg_22e9c4e98001ajNb0T9NufKKh5','ses_dd163bd92ffe5ltJau7g9rJobv',1796078325488,1796078325489,'{"snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-start"}');
INSERT INTO part VALUES('prt_22e9c4ef3001KcwnABR7J0ShCJ','msg_22e9c4e98001ajNb0T9NufKKh5','ses_dd163bd92ffe5ltJau7g9rJobv',1796078325491,1796078325494,'{"type":"text","text":"Fixed: total() now multiplies price by qty.","time":{"start":1796078325491,"end":1796078325493}}');
INSERT INTO part VALUES('prt_22e9c4f35001PREYX563RDxr8y','msg_22e9c4e98001ajNb0T9NufKKh5','ses_dd163bd92ffe5ltJau7g9rJobv',1796078325557,1796078325559,'{"reason":"stop","snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-finish","tokens":{"total":8005,"input":7988,"output":17,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES('prt_22e9d696d001oXL805WFpv28ai','msg_22e9d6969001MoeLpMAmVOD5Fx','ses_dd163bd92ffe5ltJau7g9rJobv',1796078398469,1796078398472,'{"type":"text","text":"\"use a subagent to look\""}');
INSERT INTO part VALUES('prt_22e9d6ee4001LOTanz12QZsw1j','msg_22e9d6c1a0015qCdmLOQVMmmJ9','ses_dd163bd92ffe5ltJau7g9rJobv',1796078399204,1796078399206,'{"snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-start"}');
INSERT INTO part VALUES('prt_22e9d6ee9001gz11ZyOlwNXrvC','msg_22e9d6c1a0015qCdmLOQVMmmJ9','ses_dd163bd92ffe5ltJau7g9rJobv',1796078399209,1796078399412,'{"type":"tool","tool":"task","callID":"call_e53e6ea62df040b9","state":{"status":"completed","input":{"description":"find","prompt":"SUBPROMPT find callers","subagent_type":"general"},"output":"<task id=\"ses_dd162910bffe8kWXbRQkmTKAS1\" state=\"completed\">\n<task_result>\nNoted.\n</task_result>\n</task>","metadata":{"parentSessionId":"ses_dd163bd92ffe5ltJau7g9rJobv","sessionId":"ses_dd162910bffe8kWXbRQkmTKAS1","model":{"modelID":"stub-model","providerID":"stub"},"truncated":false},"title":"find","time":{"start":1796078399226,"end":1796078399410}}}');
INSERT INTO part VALUES('prt_22e9d6f04001Q8CpWXeSBJ3yg2','msg_22e9d6eff0017JvuClEXjPnj7I','ses_dd162910bffe8kWXbRQkmTKAS1',1796078399241,1796078399242,'{"type":"text","text":"SUBPROMPT find callers"}');
INSERT INTO part VALUES('prt_22e9d6f5f0019WxhWnLTVG6XZb','msg_22e9d6f19001ijeM1K14y8cYSt','ses_dd162910bffe8kWXbRQkmTKAS1',1796078399327,1796078399328,'{"snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-start"}');
INSERT INTO part VALUES('prt_22e9d6f6300182MMM6Sj9Y2beV','msg_22e9d6f19001ijeM1K14y8cYSt','ses_dd162910bffe8kWXbRQkmTKAS1',1796078399331,1796078399335,'{"type":"text","text":"Noted.","time":{"start":1796078399331,"end":1796078399334}}');
INSERT INTO part VALUES('prt_22e9d6f88001BmCkDWAIkDnpBC','msg_22e9d6f19001ijeM1K14y8cYSt','ses_dd162910bffe8kWXbRQkmTKAS1',1796078399368,1796078399370,'{"reason":"stop","snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-finish","tokens":{"total":6737,"input":6729,"output":8,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES('prt_22e9d6fdb001aNbSST5yhyhQ0U','msg_22e9d6c1a0015qCdmLOQVMmmJ9','ses_dd163bd92ffe5ltJau7g9rJobv',1796078399451,1796078399453,'{"reason":"tool-calls","snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-finish","tokens":{"total":8054,"input":8021,"output":33,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO part VALUES('prt_22e9d703e001AUYrGDl1X5J5GU','msg_22e9d7000001O7P2bOSYV5wPXm','ses_dd163bd92ffe5ltJau7g9rJobv',1796078399551,1796078399552,'{"snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-start"}');
INSERT INTO part VALUES('prt_22e9d7042001M6JekOroQSUEsV','msg_22e9d7000001O7P2bOSYV5wPXm','ses_dd163bd92ffe5ltJau7g9rJobv',1796078399554,1796078399558,'{"type":"text","text":"Noted.","time":{"start":1796078399554,"end":1796078399557}}');
INSERT INTO part VALUES('prt_22e9d70790010WtUtIh0CcgNy1','msg_22e9d7000001O7P2bOSYV5wPXm','ses_dd163bd92ffe5ltJau7g9rJobv',1796078399609,1796078399610,'{"reason":"stop","snapshot":"91767d566bddfd90f4c78e25441bb2874a9d2eda","type":"step-finish","tokens":{"total":8133,"input":8125,"output":8,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO session VALUES('ses_dd163bd92ffe5ltJau7g9rJobv','cde6a2463e81dc07f64a514717f113b3ca9682f0',NULL,NULL,'stellar-orchid','/home/dev/work/shop','','Noted.','1.18.33',NULL,0,0,0,NULL,NULL,0.0,47558,187,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"stub-model","providerID":"stub","variant":"default"}',1796078322287,1796078399648,NULL,NULL);
INSERT INTO session VALUES('ses_dd162910bffe8kWXbRQkmTKAS1','cde6a2463e81dc07f64a514717f113b3ca9682f0',NULL,'ses_dd163bd92ffe5ltJau7g9rJobv','neon-lagoon','/home/dev/work/shop','','find (@general subagent)','1.18.33',NULL,0,0,0,NULL,NULL,0.0,6729,8,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"},{"permission":"task","pattern":"*","action":"deny"}]','general','{"id":"stub-model","providerID":"stub","variant":"default"}',1796078399220,1796078399415,NULL,NULL);
COMMIT;
