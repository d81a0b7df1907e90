import SQLiteEngine
import Testing

/// The stems of Snowball's algorithms before its release 2.0, which the files of the original have (Query 6.10).
@Suite("Stems of older Snowball releases")
struct LegacyStemRulesTests {
    /// By language: words that newer releases stem differently, with their older stems.
    static let words: [(language: String, stems: String)] = [
        (
            "da",
            """
            number100:number10 number22:number2 atn11:atn1 pack200:pack20 0xe000:0xe00 ab11:ab1 id77:id7 fpa11:fpa1 \
            e500:e50 side33:side3 linje44:linje4 bog99:bog9 kapitel111:kapitel11 uge55:uge5 rum200:rum20 dok88:dok8 \
            bynr900:bynr90 hus11:hus1 vej22:vej2 nummer11:nummer1 port8800:port880 version22:version2 type55:type5
            """
        ),
        (
            "fi",
            """
            azerbaidžan:azerbaidž bedža:bedž belutši:belutš džurtšen:džurtš fidži:fidž inguuši:inguuš \
            kambodža:kambodž kambodžan:kambodž ketšua:ketšu mokša:mokš sališi:sališ tšetšeeni:tšetš 2000:200 100:10 \
            22:2 1999:199 300:30 7700:770 68hc11:68hc1 9000a:900a pack200:pack20 r11:r1 arm600:arm60 x11:x1
            """
        ),
        (
            "fr",
            """
            ajië:ajië altaïque:altaïqu altaïques:altaïqu ambiguïté:ambiguït ambiguïtés:ambiguït aramaïque:aramaïqu \
            arbëreshë:arbëreshë aïzi:aïzi dibër:dibër durrës:durrë gjirokastër:gjirokastër hupdë:hupdë \
            jamaïque:jamaïqu korçë:korçë kukës:kukë lezhë:lezhë madaïque:madaïqu mandaïque:mandaïqu mosaïque:mosaïqu \
            palaïque:palaïqu shkodër:shkodër vlorë:vlorë vurës:vurë ïle:ïle aiguë:aiguë aiguës:aiguë
            """
        ),
        (
            "hu",
            """
            amelyből:amelyből bemenetből:bemenetből bőven:bőven dőlt:dőlt elemtől:elemtől előzményből:előzményből \
            ettől:ettől fájlrendszerről:fájlrendszerről fűzzön:fűzzön helyről:helyről karakterekből:karakterekből \
            kezelttől:kezelttől kitöltőtől:kitöltőtől környezetből:környezetből következőtől:következőtől \
            menüből:menüből mutatósebességből:mutatósebességből parancsértelmezőről:parancsértelmezőről \
            rendszertől:rendszertől szoftverösszetevőből:szoftverösszetevőből szűrve:szűrve telepítésből:telepítésből \
            tőle:tőle válaszfejlécekből:válaszfejlécekből házbõl:ház kertrõl:kert õrzi:õrz
            """
        ),
        (
            "pt",
            """
            devoluções:devoluçõ execução:execuçã execuções:execuçõ introdução:introduçã \
            pseudoinstruções:pseudoinstruçõ reexecução:reexecuçã reprodução:reproduçã resolução:resoluçã \
            resoluções:resoluçõ evolução:evoluçã revolução:revoluçã involução:involuçã persecução:persecuçã \
            substituções:substituçõ elocução:elocuçã revolución:revolu instituciones:institu devolución:devolu \
            evolución:evolu ejecución:ejecu contribuciones:contribu distribución:distribu etimologías:etimolog \
            atribución:atribu constitución:constitu
            """
        ),
        (
            "ru",
            """
            берётся:берёт влечёт:влечёт выдаётся:выдаёт завершённая:завершён защищённой:защищён изменённой:изменён \
            крёз:крёз незавершённая:незавершён неопределённый:неопределён нечётность:нечётност обновлённый:обновлён \
            обёртывания:обёртыван отделён:отделён отображённый:отображён перевёрнутые:перевёрнут \
            повреждённое:повреждён подчинённые:подчинён предопределённые:предопределён приёмник:приёмник \
            развёртывании:развёртыван распознаётся:распознаёт серьёзные:серьёзн сохранённое:сохранён \
            торбьёрн:торбьёрн удаётся:удаёт четвёртый:четвёрт чётных:чётных ещё:ещё её:её всё:всё
            """
        ),
    ]

    @Test("words that newer Snowball releases stem differently get the older stems", arguments: words)
    func older(language: String, stems: String) throws {
        let text = try TokenizedText(["stemmer=\(language)", "remove_diacritics=0"])
        for pair in stems.split(separator: " ") {
            let parts = pair.split(separator: ":").map(String.init)
            #expect(try text.words(of: parts[0]).map { Array($0.utf8) } == [Array(parts[1].utf8)], "\(parts[0])")
        }
    }

    /// By language: words of its letters and endings, for which all releases have the same stems.
    static let others: [(language: String, stems: String)] = [
        (
            "finnish",
            """
            ugqeit:ugqei fnn:fn eihhanän:eihhan mhit:mhit öqksikottä:öqksikot eöemzssa:eöemz umoncitejansa:umonc \
            nnnsällepa:nnnsäl nemmetteneja:nemmetten vdjnjstaän:vdjnjstaän svöttä:svöt lkdtssakse:lkdtssaks \
            olniie:olniie ukhehanietta:ukhehanie dsfpksiet:dsfpksiet ixibkimmahanko:ixibk qnrxssaj:qnrxssaj \
            rfajfmpi:rfajfmp kepo:kepo utögttenhän:utögt jgmstiit:jgmstiit zmbshejaine:zmbsheja uiyan:uiyan \
            akxnsaenssa:akxnsaen uhllempittä:uhllempit uszlimpiejaaa:uszlimpiejaa jzetttahan:jzett ggokqkonsä:ggokqko \
            äjpä:äjp peoasiäpa:peoas paizmpi:paizmp uqbfpdenpä:uqbfpd zkdenden:zkdend iuotaaen:iuotaae xsylaa:xsyla \
            usmastaimpihän:usmast lfyfä:lfyfä qöpwet:qöpw xgtnsä:xgtnsä ftaawdenen:ftaawden spfett:spfet \
            fiöoden:fiöode däkmpikinden:däkmpikind wqixpäineat:wqixpäinea kyhltahänet:kyhltahän jgtitni:jgtit \
            aunetimpi:aune pxpimmana:pxpim mmukin:mmuk lthin:lthin xzäen:xzäen clöllaenä:clölae xuetfimmaksi:xuetfim \
            xlumunkaansiin:xlumunkaans pavnsa:pav kpttta:kptta drattaden:drattad mensä:mens evolttakaan:evolt \
            jdnksen:jdnksen sbjäetden:sbjäetd slbnsäsiinsti:slbnsäs ogjdiänhinhan:ogjdiänhin rcwpo:rcwpo \
            sqrsien:sqrsien jöthan:jöt yrxöyhinnhan:yrxöyhin häfdt:häfdt admjjkaan:admjjk dlpclpä:dlpclpä \
            oibkäänpo:oibkäänpo bvuejait:bvuejai gumlttenilla:gumltten bensahinhan:bensahin aqiwhänkse:aqiwhänks \
            ibzseen:ibzs dmtampi:dmtamp elspä:elsp beysta:beys lväcneja:lväcnej bfwen:bfwen aanttansä:aant \
            öjorxhinimmatten:öjorxhinimmat lcsäönsäj:lcsäönsäj gfekin:gfek qthinni:qthin irnimma:irnim pöscseen:pöscs \
            ybjen:ybj dmdösta:dmdös fyainehän:fyaine blqäöpokinhän:blqäöpok xiugkäänhankaan:xiugkäänhan \
            cqöiaiesi:cqöiaiesi vdtkutmpi:vdtkutmp exxnmmihin:exxnm lvlitetkaan:lvlite iaemmi:iaem \
            ogxjkommikaan:ogxjkom kbaethan:kbaet rlaa:rlaa bwizbt:bwizbt ötqttenine:ötqtten krpokään:krpokä \
            ipuenimpi:ipuen pnuakotten:pnuakot rosättenssaj:rosättenssaj jjjvtta:jjjvta cikssa:cik ixljbmmemme:ixljbm \
            niaa:niaa fupxntapä:fupxn ökkgni:ökkg krhansta:krhan hfgpälta:hfgpäl dvhanpä:dvhan satenlle:saten \
            gghanllehin:gghanllehin zeboimma:zeboim quöbnlla:quöbn
            """
        ),
        (
            "portuguese",
            """
            lqeadaçarão:lqeadac áopasgue:áopasg fuoadoraçõesei:fuoadorações ifgccámosmente:ifgccámos tçníámos:tçní \
            uãvarãoamente:uãvarão irqóçmente:irqóc êiosoatmente:êiosoat côepidace:côepidac mdiam:mdi lóvxaée:lóvxaé \
            ádbadaámos:ádbada qgeóicigue:qgeóicig uaunxarámente:uaunxará õúado:õú sáosismoeza:sáosismo õiges:õig \
            xqíéiv:xqíéiv mcõezaezaando:mcõezaeza sdhbadomente:sdhbadoment epgico:epgic upáamenteemos:upáament \
            lõuiiidaivaeu:lõuiiidaiva ôafvuam:ôafvu gôõamenteidade:gôõament éuêõidaemos:éuêõida únência:únênc \
            úpci:úpci ênciç:êncic íáâiante:íáâiant igmliaçõesamento:igmliações ádad:ádad íçãmjoi:íçãmjo \
            áotôlaráânciaat:áotôlaráânciaat tepbosadaismo:tepbosada isuocce:isuocc ilosas:ilos chiveza:chivez eõei:eõ \
            mcquóanteeza:mcquóanteez úbhhivaa:úbhhiva vôgueações:vôgueaçõ puiarãoando:puiarão âqéuasoso:âqéuas \
            épuaráanteamente:épuaráant psbandoeos:psbando ffarabil:ffarabil ccôrante:ccôrant \
            búfânciaatista:búfânciaat cbvxõiamentoámos:cbvxõiamento iéatõivaismo:iéatõiva õíoôoerância:õíoôoer \
            lvará:lvar aéjãiva:aéjã úiãcir:úiãc ahpivaanteas:ahpivaant uãiueiistaida:uãiueiista nçes:nçes \
            ânabilidaic:ânabilidaic pogjidaico:pogjida ônnãaria:ônnã qíáarç:qíáarc sâóaarão:sâóa \
            nálemaçõesação:nálemações fâxâamento:fâxâament uôgóiatável:uôgóiat áâõnôantear:áâõnôant inxira:inxir \
            íúbôç:íúbôc híirasse:híir pgbqemosiva:pgbqemos vrêeaamassemente:vrêeaamass sêtnéador:sêtnéador \
            qlárememosismo:qlárememos óáatosgu:óáatosgu ovámosa:ovám euíador:euíador fâõujgueidadeações:fâõujgueidad \
            dsúceiênciaer:dsúceiência vbhlância:vbhlânc nâdatiraações:nâdatira íxolarãoado:íxolarão czeadace:czeadac \
            cmlúosgue:cmlúosg rõas:rõ fxives:fxiv aiõúases:aiõúas pvloóamenteas:pvloóament eoar:eoar \
            géxjamenteidaer:géxjamenteida óãltador:óãltador búamentoista:búamento dncável:dncável rxubeza:rxubez \
            ozada:ozad bâoeza:bâoez úpôirámosem:úpôirámos êvgugávelçgu:êvgugávelçgu zamqsce:zamqsc \
            êõécõismoadoraos:êõécõismoadora odçqaadoidade:odçqaado ãávaidade:ãáva ôâhç:ôâhc ibmztáado:ibmztá \
            eqamentearç:eqamentearc ãnuâismo:ãnuâism íéaçõesadação:íéaçõesad eiou:eiou uie:uie ôzummente:ôzum \
            ãíie:ãíi ftador:ftador ãfosaria:ãfos ejcfci:ejcfci hvtfceicoa:hvtfceico eqxéjciável:eqxéjc \
            áfâezaado:áfâeza foaamamento:foaamament êujvcaçõesico:êujvcações õuâes:õuâ
            """
        ),
        (
            "french",
            """
            vçera:vçer kânnatricementcol:kânnatricementcol lûitément:lûit mùsisse:mùs khutionparett:khutionparet \
            çhèsrieritéé:çhèsrierité éjscolâmesièr:éjscolâmesier dgêutionièrasse:dgêutionier xkèbivité:xkèbiv \
            èâissement:èâissement êggabiliv:êggabiliv âdcol:âdcol sianqabliraientera:sianqabliraient \
            seêcsammentance:seêcsamment qpùasseaiscol:qpùasseaiscol îàsatité:îàsat pbantant:pbant \
            cqtiqueèrent:cqtique xîhamyation:xîhami czence:czenc xkâiisseeus:xkâiisseeus welxjsi:welxjs \
            înwasse:înwass ocdmableance:ocdmable ppâmesiezaux:ppâmesiezal âùgnableamment:âùgnabl ûèéuôaisit:ûèéuôais \
            êkpifion:êkpifion tkùantissement:tkùant qîtaeabilaux:qîtaeabilal ghtmentèrent:ghtment lêellissement:lêel \
            yhissais:yhiss aaûuifitéées:aaûuifité êùier:êùi kêûnzèrent:kêûnz çgira:çgir xyrcollogieit:xyrcollogieit \
            cpenn:cpen tvçie:tvçi êvbvèéespars:êvbvèéespar èhâmesions:èhâmes fslqpeuxementera:fslqpeuxement \
            eeijiraient:eeij vêiûpusioneauxation:vêiûpusioneaux jtxçif:jtxçif jqcçoifaux:jqcçoifal \
            njwdweusais:njwdweus àjôhgé:àjôhg initcolamment:initcol ngance:nganc ôtierezable:ôtierez \
            êyûisionementation:êyûisionement ipâanceeusepar:ipâanceeusepar gçcementemment:gçcementent \
            heionsais:heions vxenn:vxen pneuxance:pneuxanc êtpçâais:êtpçâ ûêaqaiez:ûêaqai yûusion:yûusion \
            edbrîeuse:edbrîeux yfçiraiez:yfçirai oiaocol:oiaocol mgasseées:mgasse vohionsasse:vohions \
            tèêàlenceerae:tèêàlenceera tmrdjabilable:tmrdjabil aêgqissement:aêgq mùrfaitéabil:mùrfaitéabil \
            èifêêelle:èifêêel kzyzçeissement:kzyzçeissement ùgoammentiant:ùgoammenti camisseatrice:camisse \
            uùnxcolett:uùnxcolet twôôiv:twôôiv îfionsions:îfions nxêbqu:nxêbqu lâlsyat:lâlsyat \
            kdéesiqueation:kdéesique ûvionseusité:ûvionseus qâréettisme:qâréet ôîmyable:ôîmyabl çliiraell:çliirael \
            nàatriceitéat:nàatriceitéat ywnîmes:ywnîm lbùisme:lbùism koçeité:koçeit oâêhaiez:oâêhai \
            râthitéissement:râthitéissement ltenceîmes:ltenceîm êasyive:êasyiv èùqu:èùqu érâmera:érâm \
            rjennabl:rjennabl àlêjùableementant:àlêjùableement çêrêdemmentièr:çêrêdemmentier edfeence:edfeenc \
            vâhslogieution:vâhslogieu ûçettif:ûçet cômentité:côment bâmemmenttap:bâmemmenttap \
            ofêiqueîmese:ofêiqueîmes wéraifementeuse:wéraifement ipûdîett:ipûdîet xùîées:xùî yvementeus:yvementeus \
            ôgôeux:ôgôeux oxkjfpariraatrice:oxkjfparira ptpar:ptpar bîliâmes:bîli akxreuxlogieaux:akxreuxlogieau \
            hmoparation:hmopar rwexzique:rwexziqu yùîation:yùîation cçeequ:cçeequ cesièrâmesîmes:cesièrâmes \
            kâementismeabil:kâementismeabil sviraientionabil:sviraientionabil ààcolusion:ààcolu
            """
        ),
    ]

    @Test("words that all Snowball releases stem alike get the same stems", arguments: others)
    func same(language: String, stems: String) throws {
        try older(language: language, stems: stems)
    }
}
